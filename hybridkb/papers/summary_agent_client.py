"""The client of the service: it goes to one host, follows nobody elsewhere, and reads no more than it may.

What it fails with is told in our words; the client's own errors hold the request, with the key in its headers, and are
never chained.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from hybridkb.embedders.service_shown import retry_after, without_key
from hybridkb.errors import InvalidInput
from hybridkb.papers.summary_config import OPENAI_HOST, SummaryService
from hybridkb.text.quoting import one_line

NO_KEY = "no-key"
"""Sent to a service of one's own when there is no key: the client insists on one."""

_TRY_AGAIN = (408, 409, 429)
_FORM = ("response_format", "json_schema", "json schema", "structured")
_LENGTH = "max_completion_tokens"
_TOLD = 300


class ResponseTooLarge(Exception):
    """The service's response is longer than allowed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without an answer.

    Attributes:
        told: what happened. again: the same request may succeed. wait: seconds that the service asks for.
        status: the HTTP status, if there was one: then the service refused, and used no tokens.
        change: what to leave out or send otherwise next time: ``"form"``, ``"length"`` or ``"tools"``.
    """

    told: str
    again: bool = False
    wait: float | None = None
    status: int | None = None
    change: str | None = None


def make_client(service: SummaryService, *, seconds: float, response_bytes: int) -> Any:
    """Make the client; nothing is sent.

    Raises:
        InvalidInput: OpenAI itself is to be asked, and there is no key.
    """
    if not service.api_key and service.base_url is None:
        raise InvalidInput(
            "OpenAI needs a key: set HYBRIDKB_SUMMARY_KEY or OPENAI_API_KEY, or base_url to a service of your own",
            field="api_key",
        )
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    async def only_there(request: Any) -> None:
        if request.url.host != service.host:
            raise ConnectionError(f"a request to {request.url.host} was stopped")

    async def only_so_much(response: Any) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ResponseTooLarge("the response is compressed, which was not asked for")
        response.stream = _bounded(response.stream, response_bytes)

    http_client = DefaultAsyncHttpxClient(
        follow_redirects=False,
        timeout=seconds,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [only_there], "response": [only_so_much]},
    )
    client = AsyncOpenAI(
        api_key=service.api_key or NO_KEY,
        base_url=service.base_url or f"https://{service.host}/v1",
        max_retries=0,
        timeout=seconds,
        http_client=http_client,
    )
    if service.host != OPENAI_HOST:
        client.organization = client.project = None  # the environment names them for OpenAI alone
    return client


def explain(error: Exception, service: SummaryService, *, seconds: float) -> Failure:
    """Say in our words what went wrong with a request."""
    status = getattr(error, "status_code", None)
    where = f"{service.model} at {service.address}"
    if isinstance(status, int):
        again = (status in _TRY_AGAIN or status >= 500) and getattr(error, "code", None) != "insufficient_quota"
        verb = "answered" if again else "refused with"
        told = f"{where} {verb} {status}: {_cause(error, service)}"
        return Failure(told, again, retry_after(error), status, _change(status, str(error)))
    if isinstance(error, TimeoutError) or _named(error, "APITimeoutError"):
        return Failure(f"{where} did not answer within {seconds:g} seconds", again=True)
    if too_large := _under(error, "ResponseTooLarge"):
        return Failure(f"{where} answered more than allowed (response_bytes): {too_large}")
    if isinstance(error, ConnectionError) or _named(error, "APIConnectionError"):
        return Failure(f"{where} cannot be reached: {_cause(error, service)}", again=True)
    return Failure(f"{where} gave an answer that cannot be read: {_cause(error, service)}", again=True)


def _change(status: int, told: str) -> str | None:
    if status not in (400, 422):
        return None
    if _LENGTH in told:
        return "length"
    if "tool_choice" in told:
        return "tools"
    return "form" if any(word in told.casefold() for word in _FORM) else None


def _cause(error: Exception, service: SummaryService) -> str:
    return without_key(one_line(str(error)) or type(error).__name__, service.api_key)[:_TOLD]


def _named(error: BaseException, name: str) -> bool:
    return any(kind.__name__ == name for kind in type(error).__mro__)


def _under(error: BaseException, name: str) -> BaseException | None:
    """The error, or what it was raised from, of this class."""
    at: BaseException | None = error
    for _ in range(8):
        if at is None or _named(at, name):
            return at
        at = at.__cause__ or at.__context__
    return None


def _bounded(stream: Any, most: int) -> Any:
    """Put a bound on a response's stream; it stays what the client takes for a stream, whichever client that is."""
    base = next((kind for kind in type(stream).__mro__ if kind.__name__ == "AsyncByteStream"), object)
    return type("BoundedStream", (_Bounded, base), {})(stream, most)


class _Bounded:
    """A response's bytes, as long as there are not too many."""

    def __init__(self, stream: Any, most: int) -> None:
        self._stream = stream
        self._left = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0:
                raise ResponseTooLarge("the response goes on and on")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
