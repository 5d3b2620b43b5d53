"""Calls an OpenAI-compatible service: time limits, retries, and the client's errors in our words.

Tried again are: 408, 409, 429 and 5xx answers, connections that fail, and time-outs, with exponential waits (or as
long as `Retry-After` says), as long as the time for the call lasts. Nothing else is. A key never gets into a message.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hybridkb.embedders.faults import EmbedderRefused
from hybridkb.embedders.service_shown import retry_after, shown_address, without_key
from hybridkb.errors import EmbedderError, EmbedderUnavailable

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_GRACE = 0.1
_BAD_TEXT = (400, 413, 422)
_TRY_AGAIN = (408, 409, 429)


class TextRefused(EmbedderError):
    """The service refuses this request: one of its texts, or all of it, is not to its liking."""


@dataclass(frozen=True, slots=True)
class Service:
    """Where the model is and how long we wait for it.

    Attributes:
        model: name sent with each request.
        base_url: address up to `/v1`; None for OpenAI's own.
        api_key: secret; not part of the repr.
        timeout: seconds for one attempt.
        max_retries: further attempts after the first.
        encoding: "base64" or "float", asked of the service; either is understood.
        send_dimensions: put into the request; None leaves it out.
    """

    model: str
    base_url: str | None
    api_key: str | None
    timeout: float
    max_retries: int
    encoding: str
    send_dimensions: int | None

    def __repr__(self) -> str:
        return f"Service({self.model} at {self.address})"

    @property
    def address(self) -> str:
        """Scheme, host and path; a user, password or query in the address is left out."""
        return shown_address(self.base_url)

    def without_key(self, text: str) -> str:
        """Return the text with the key, and what looks like one, blotted out."""
        return without_key(text, self.api_key)


@dataclass(frozen=True, slots=True)
class _Failure:
    """One failed attempt: the error to raise, whether to try again, and after how many seconds if the service says."""

    error: EmbedderError
    again: bool = False
    wait: float | None = None


class ServiceCaller:
    """Sends texts to the service and returns its answer as it came. Safe to share between threads."""

    def __init__(self, service: Service, make_client: Callable[[Service], Any]) -> None:
        """Take the function that makes the client; it is called once, by the first request."""
        self._service = service
        self._make_client = make_client
        self._client: Any | None = None
        self._lock = threading.Lock()

    def send(self, texts: list[str], *, seconds: float) -> Any:
        """Return the service's answer to the texts, within about `seconds`, retries and waits included.

        Raises:
            EmbedderUnavailable: it cannot be reached, is overloaded or fails; trying later may help.
            TextRefused: it refuses the request (400, 413, 422).
            EmbedderRefused: it refuses the key, model or address, or there is no key.
            Whatever making the client raises.
        """
        deadline = time.monotonic() + seconds
        attempt = 0
        while True:
            left = deadline - time.monotonic()
            answer = self._attempt(texts, min(self._service.timeout, max(left, 0.001)))
            if not isinstance(answer, _Failure):
                return answer
            wait = _wait(attempt) if answer.wait is None else answer.wait
            left = deadline - time.monotonic()
            if not answer.again or attempt >= self._service.max_retries or wait >= left:
                raise answer.error
            time.sleep(wait)
            attempt += 1

    def _attempt(self, texts: list[str], seconds: float) -> Any:
        client = self._ready_client()
        arguments: dict[str, Any] = {
            "model": self._service.model,
            "input": texts,
            "encoding_format": self._service.encoding,
            "timeout": seconds,
        }
        if self._service.send_dimensions is not None:
            arguments["dimensions"] = self._service.send_dimensions
        try:
            return _within(lambda: client.embeddings.create(**arguments), seconds + _GRACE)
        except Exception as error:
            return self._explain(error)

    def _ready_client(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._make_client(self._service)
            return self._client

    def _explain(self, error: Exception) -> _Failure:
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            return self._explain_status(error, status)
        if isinstance(error, TimeoutError | ConnectionError) or _is_connection_error(error):
            return _Failure(self._fault(EmbedderUnavailable, "cannot be reached", error), again=True)
        return _Failure(self._fault(EmbedderError, "gave an answer that cannot be read", error))

    def _explain_status(self, error: Exception, status: int) -> _Failure:
        if status in _TRY_AGAIN or status >= 500:
            again = getattr(error, "code", None) != "insufficient_quota"
            return _Failure(
                self._fault(EmbedderUnavailable, f"answered {status}", error), again, retry_after(error)
            )
        kind = TextRefused if status in _BAD_TEXT else EmbedderRefused
        return _Failure(self._fault(kind, f"refused with {status}", error))

    def _fault(self, kind: type[EmbedderError], what: str, error: Exception) -> EmbedderError:
        """Make our error. The client's own is not chained: it holds the request with the key in its headers."""
        service = self._service
        cause = service.without_key(str(error) or type(error).__name__)[:300]
        return kind(f"{service.model} at {service.address} {what}: {cause}", model=service.model)


def _within(call: Callable[[], Any], seconds: float) -> Any:
    """Return the call's result, or raise TimeoutError after `seconds`, whatever it waits for.

    The client's own time-outs do not cover name look-up, nor an answer that trickles in; this does. An abandoned call
    ends by itself in its thread.
    """
    outcome: list[Any] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="hybridkb-embed", daemon=True).start()
    if not done.wait(seconds):
        raise TimeoutError(f"no answer within {seconds:.1f} seconds")
    if failure:
        raise failure[0]
    return outcome[0]


def _is_connection_error(error: Exception) -> bool:
    return any(kind.__name__ == "APIConnectionError" for kind in type(error).__mro__)


def _wait(attempt: int) -> float:
    longest = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**attempt)
    return longest * random.uniform(0.5, 1.0)
