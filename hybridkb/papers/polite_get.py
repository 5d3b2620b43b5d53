"""One file over HTTP, politely and warily: paced, bounded in time and size, never to another site."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hybridkb.errors import FetchFailed, InvalidInput, NotFound
from hybridkb.papers.pace import Pace
from hybridkb.papers.stopping import check_wanted
from hybridkb.papers.watched_opener import Watch, make_opener
from hybridkb.text.quoting import one_line

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

MAX_PDF_BYTES = 128 * 1024 * 1024
"""The largest PDF that is fetched."""

MAX_FEED_BYTES = 2 * 1024 * 1024
"""The largest answer about one paper that is read."""

MAX_WAIT_SECONDS = 120.0
"""The longest that a server may make one request wait; what asks for longer fails and says until when."""

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_NOT_THERE = frozenset({404, 410})
_PIECE = 64 * 1024
_ARXIV_HOST = re.compile(r"(?:[a-z0-9-]+\.)*arxiv\.org", re.IGNORECASE)
_MAX_REDIRECTS = 5


class _Again(Exception):
    """The request may succeed later."""

    def __init__(self, reason: str, *, status: int | None = None, after: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.after = reason, status, after


class PoliteGet:
    """Gets files from one site.

    Args:
        base_url: the site; redirects may lead back to it, or over https to arXiv, and nowhere else.
        pace: lets requests through.
        timeout_seconds: the longest that a connection may be silent.
        total_seconds: the longest that one attempt may take.
        attempts: how often a request is tried.
        now: the time of day, aware.

    Raises:
        InvalidInput: the site is no address of one.
    """

    def __init__(
        self, base_url: str, pace: Pace, *, timeout_seconds: float, total_seconds: float, attempts: int,
        now: Callable[[], datetime],
    ) -> None:  # fmt: skip
        _check_site(base_url)
        self._base, self._pace, self._now = base_url, pace, now
        self._timeout, self._total, self._attempts = timeout_seconds, total_seconds, attempts
        self._watch = Watch()
        self._opener: OpenerDirector | None = None

    def __call__(self, url: str, max_bytes: int, *, target: str) -> bytes:
        """Get one file.

        Raises:
            NotFound: the server says that it is not there; names ``target``.
            FetchFailed: it cannot be had.
        """
        for attempt in range(1, self._attempts + 1):
            try:
                with self._pace.turn():
                    return self._once(url, max_bytes, target)
            except _Again as again:
                self._wait_or_give_up(url, again, attempt)
        raise AssertionError("the last attempt returns or raises")

    def _wait_or_give_up(self, url: str, again: _Again, attempt: int) -> None:
        pause = max(again.after or 0.0, self._pace.seconds * 2 ** (attempt - 1))
        if attempt == self._attempts or pause > MAX_WAIT_SECONDS:
            wait = f"; it asks to wait {again.after:,.0f} seconds" if again.after else ""
            times = "once" if attempt == 1 else f"{attempt} times"
            raise FetchFailed(
                f"{url} cannot be had now: {again.reason}{wait} (tried {times}); try again later",
                url=url, status=again.status, retryable=True, retry_after=again.after,
            )  # fmt: skip
        self._pace.wait(pause)

    def _once(self, url: str, max_bytes: int, target: str) -> bytes:
        from http.client import HTTPException
        from urllib.error import HTTPError
        from urllib.request import Request

        request = Request(url, headers={"User-Agent": f"hybridkb/{version('hybridkb')}", "Accept": "*/*"})
        try:
            with self._watch.limited(self._total), self._open().open(request, timeout=self._timeout) as answer:
                body = self._body(answer, url, max_bytes)
        except HTTPError as error:
            with error:
                raise self._refused(error.code, error.headers.get("Retry-After"), url, target) from error
        except _Again:
            self._check_time(url)
            raise
        except (HTTPException, OSError, ValueError) as error:
            self._check_time(url)
            raise self._broken(error, url) from error
        self._check_time(url)
        return body

    def _check_time(self, url: str) -> None:
        """Go on, if the connection was not shut because its time was over, or nobody waits any more."""
        check_wanted()
        if self._watch.out_of_time:
            raise FetchFailed(f"{url} was not there after {self._total:g} seconds", url=url, retryable=True)

    @staticmethod
    def _broken(error: Exception, url: str) -> Exception:
        """What a request without an answer, or without the whole of one, comes out as."""
        from urllib.error import URLError

        if isinstance(error, URLError):
            return _Again(f"it cannot be reached ({error.reason})")
        if isinstance(error, ValueError):
            return FetchFailed(f"{url} leads to an address that is none: {error}", url=url)
        return _Again(f"the connection broke ({one_line(str(error)) or type(error).__name__})")

    def _open(self) -> OpenerDirector:
        if self._opener is None:
            self._opener = make_opener(self._watch, _redirects(self._base))
        return self._opener

    def _refused(self, status: int, retry_after: str | None, url: str, target: str) -> Exception:
        if status in _NOT_THERE:
            return NotFound(f"{url} says that there is no {target} (HTTP {status})", target=target)
        if status in _RETRIED:
            return _Again(f"the server answers {status}", status=status, after=self._seconds(retry_after))
        return FetchFailed(f"{url} answers {status}; open it in a browser to see why", url=url, status=status)

    def _seconds(self, retry_after: str | None) -> float | None:
        """Read ``Retry-After``: seconds, or a time of day; None when it says neither."""
        if not retry_after:
            return None
        if re.fullmatch(r"\d{1,9}", retry_after.strip(), re.ASCII):
            return float(retry_after)
        try:
            until = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        return max(0.0, (until - self._now()).total_seconds())

    def _body(self, answer: Any, url: str, max_bytes: int) -> bytes:
        said = answer.headers.get("Content-Length") or ""
        if said.isdecimal() and int(said) > max_bytes:
            raise _too_large(url, max_bytes)
        body = bytearray()
        while piece := answer.read1(_PIECE):
            body += piece
            if len(body) > max_bytes:
                raise _too_large(url, max_bytes)
        if said.isdecimal() and len(body) < int(said):
            raise _Again(f"only {len(body):,} of {int(said):,} bytes came")
        return bytes(body)


def _check_site(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise InvalidInput(f"{base_url!r} is no address of a site; write http(s)://host[:port]", field="base_url")


def _too_large(url: str, max_bytes: int) -> FetchFailed:
    return FetchFailed(f"{url} is larger than {max_bytes:,} bytes, the most that is fetched", url=url)


def _redirects(base_url: str) -> Any:
    """A handler that follows redirects to the same site, or over https to arXiv, and refuses all others."""
    from urllib.request import HTTPRedirectHandler

    base = urlsplit(base_url)

    class Redirects(HTTPRedirectHandler):
        max_redirections = _MAX_REDIRECTS

        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
            to = urlsplit(newurl)
            same_site = (to.scheme, to.netloc) == (base.scheme, base.netloc)
            if not same_site and not (to.scheme == "https" and _is_arxiv(to.hostname, to.netloc)):
                place = one_line(f"{to.scheme}://{to.netloc}")
                raise FetchFailed(
                    f"{req.full_url} leads to {place}, which is not arXiv; it is not followed",
                    url=req.full_url, status=code,
                )  # fmt: skip
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    return Redirects()


def _is_arxiv(host: str | None, netloc: str) -> bool:
    return host is not None and "@" not in netloc and _ARXIV_HOST.fullmatch(host) is not None
