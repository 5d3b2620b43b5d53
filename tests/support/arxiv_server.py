"""A server on loopback that answers as arXiv does, or as a test tells it to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

PDF = b"%PDF-1.7\nnot much of one\n%%EOF\n"


@dataclass(frozen=True)
class Answer:
    """One answer: status, headers, body; ``cut`` closes the connection after so many bytes of it."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None


def feed(identifier: str, *, title: str = "On Rolling", updated: str = "2023-08-02T00:41:18Z", doi: str = "") -> bytes:
    """A feed with one entry."""
    doi = f'<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">{doi}</arxiv:doi>' if doi else ""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>query</title><updated>2024-01-01T00:00:00Z</updated>
<entry><id>http://arxiv.org/abs/{identifier}</id><updated>{updated}</updated><published>2017-06-12T17:57:34Z</published>
<title>{escape(title)}</title><summary>  We roll
 futures. </summary><author><name>A. Author</name></author><author><name>B. Writer</name></author>{doi}
</entry></feed>""".encode()


EMPTY = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>query</title></feed>'


class ArxivServer:
    """Serves the newest version of every paper as version ``newest`` until told otherwise.

    Attributes:
        paths: of all requests, in order.
        agents: their User-Agent headers.
        pdf: what it serves as PDF.
    """

    def __init__(self, newest: int = 3, pdf: bytes = PDF) -> None:
        self.newest, self.pdf = newest, pdf
        self.paths: list[str] = []
        self.agents: list[str | None] = []
        self.running, self.most_at_once = 0, 0
        self._script: list[Answer] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *answers: Answer) -> None:
        """Give these answers to the next requests, one each."""
        self._script.extend(answers)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def answer(self, path: str, agent: str | None) -> Answer:
        with self._lock:
            self.paths.append(path)
            self.agents.append(agent)
            if self._script:
                return self._script.pop(0)
        parts = urlsplit(path)
        if parts.path == "/api/query":
            asked = parse_qs(parts.query)["id_list"][0]
            return Answer(feed(asked if "v" in asked.rpartition("/")[2] else f"{asked}v{self.newest}"))
        return Answer(self.pdf, headers={"Content-Type": "application/pdf"})

    def enter(self, change: int) -> None:
        with self._lock:
            self.running += change
            self.most_at_once = max(self.most_at_once, self.running)


def _handler(server: ArxivServer) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.enter(1)
            try:
                answer = server.answer(self.path, self.headers.get("User-Agent"))
                self.send_response(answer.status)
                for name, value in ({"Content-Length": str(len(answer.body))} | answer.headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body[: answer.cut])
            finally:
                server.enter(-1)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    return Handler
