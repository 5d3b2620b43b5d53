"""An OpenAI-compatible `/v1/embeddings` on loopback that answers, or fails, as a test tells it to.

    with EmbeddingServer(dimensions=8) as server:
        server.script(refuse(429, headers={"Retry-After": "0.1"}))      # first request; then good answers
        embedder = OpenAIEmbedder("fake", base_url=server.url, api_key="sk-test", dimensions=8)
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import numpy as np

from support.fake_embedder import HashEmbedder

Entries = list[dict[str, Any]]


@dataclass(frozen=True)
class Reply:
    """One answer: after `delay` seconds, status and headers, and `raw` or the good answer changed by `change`."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    delay: float = 0.0
    change: Callable[[Entries], Entries] | None = None


def refuse(
    status: int, message: str = "no", *, code: str | None = None, headers: dict[str, str] | None = None
) -> Reply:
    """Answer an error in OpenAI's shape."""
    error = {"error": {"message": message, "type": "error", "code": code}}
    return Reply(status=status, headers=headers or {}, raw=json.dumps(error).encode())


def stall(seconds: float) -> Reply:
    """Answer well, but late."""
    return Reply(delay=seconds)


def changed(change: Callable[[Entries], Entries]) -> Reply:
    """Answer 200 with the good entries (`index`, `embedding` as a list of numbers) changed."""
    return Reply(change=change)


class EmbeddingServer:
    """Serves the vectors of `HashEmbedder(dimensions, model)` until told otherwise.

    Attributes:
        requests: bodies of all requests, in order of arrival.
        authorizations: their Authorization headers.
        bad_texts: any request that holds one of these gets 400.
        embedder: makes the good answers.
    """

    def __init__(self, dimensions: int = 8, model: str = "fake") -> None:
        self.embedder = HashEmbedder(dimensions, model)
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.bad_texts: set[str] = set()
        self._replies: list[Reply] = []
        self._always: Reply | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL to give to an embedder."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Give these replies to the next requests, one each; then good answers again."""
        with self._lock:
            self._replies.extend(replies)

    def always(self, reply: Reply | None) -> None:
        """Give this reply to every request that has none of its own."""
        self._always = reply

    def texts(self) -> list[str]:
        """Return every text that arrived, in order."""
        return [text for request in self.requests for text in request["input"]]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def answer(self, body: dict[str, Any], authorization: str | None) -> tuple[int, dict[str, str], bytes]:
        """Note the request and return status, headers and body of the answer."""
        with self._lock:
            self.requests.append(body)
            self.authorizations.append(authorization)
            reply = self._replies.pop(0) if self._replies else self._always
        if reply is None:
            reply = refuse(400, "bad text") if self.bad_texts & set(body["input"]) else Reply()
        self._closing.wait(reply.delay)
        return reply.status, reply.headers, reply.raw if reply.raw is not None else self._good(body, reply.change)

    def _good(self, body: dict[str, Any], change: Callable[[Entries], Entries] | None) -> bytes:
        with self._lock:
            vectors = self.embedder.embed_documents(body["input"])
        entries: Entries = [
            {"object": "embedding", "index": place, "embedding": row.tolist()} for place, row in enumerate(vectors)
        ]
        if change is not None:
            entries = change(entries)
        if body.get("encoding_format") == "base64":
            entries = [{**entry, "embedding": _base64(entry["embedding"])} for entry in entries]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return json.dumps({"object": "list", "data": entries, "model": body["model"], "usage": usage}).encode()


def _base64(numbers: list[float]) -> str:
    return base64.b64encode(np.array(numbers, dtype="<f4").tobytes()).decode()


def _handler_of(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                status, headers, payload = server.answer(body, self.headers.get("Authorization"))
                self.send_response(status)
                for name, value in {**headers, "Content-Type": "application/json"}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    return Handler
