"""A paper, offline: passages, sections, a cited summary; found again by meaning and shown on its page.

The paper was written for this project (``examples/papers``). In place of a model, a server on this machine gives one
prepared answer; ``paper.py`` asks a real one.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from hybridkb import HybridLibrary
from hybridkb.papers import PaperChunk, PaperFlowConfig, PaperGlobalSummary, mark_page, paper_flow_sync

PAPER = Path(__file__).parent / "papers" / "roll_yield.pdf"
PASSAGES = "Why are futures curves in backwardation?"
SUMMARY = "What is the paper's central contribution?"
ANSWER = {
    "summary": "The paper takes the return of a long futures position apart into spot return, roll yield and the rate "
    "on cash. Roll yield is computed from two prices of the curve: positive in backwardation, negative in contango. A "
    "worked example with invented curves shows its size, and three mistakes are named by which a backtest books roll "
    "yield that nobody could have earned.",
    "citations": [
        {"chunk_id": "c0001", "page": 1},
        {"chunk_id": "c0003", "page": 1},
        {"chunk_id": "c0005", "page": 2},
        {"chunk_id": "c0006", "page": 2},
    ],
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, prepared_model() as url:
        config = PaperFlowConfig(
            model="prepared-answer", base_url=url, published_at=datetime(2024, 3, 1, tzinfo=UTC), tags=("curves",)
        )
        result = paper_flow_sync(PAPER, config, progress=tell)
        print(f"{result.source.title}: {len(result.source.pages)} pages, {len(result.chunk_set.chunks)} passages")
        path = Path(folder) / "papers.db"
        with HybridLibrary.open(path, embedder="local") as library:
            report = library.put_paper(result)
            print(f"stored: {report.records} records, {report.embedded} texts embedded")
            first = ask(library)
        with HybridLibrary.open(path, embedder="local") as library:
            again = library.put_paper(result)
            print(f"once more: source {again.effect}, {again.embedded} texts embedded")
            assert ask(library, quiet=True) == first
            picture = mark_page(library, first[0])
            print(f"the page of {first[0]} with the passage marked: a PNG of {len(picture):,} bytes")


def ask(library: HybridLibrary, *, quiet: bool = False) -> list[str]:
    """Ask for passages and for the summary; the locators of the hits, best first."""
    passages = library.search(PASSAGES, artifact_kinds=["paper_chunk_set"], top_k=3)
    summaries = library.search(SUMMARY, artifact_kinds=["paper_summary"], top_k=1)
    for hit in () if quiet else (*passages, *summaries):
        print(f"\n{hit.score:.4f}  {hit.locator}")
        found = library.resolve(hit.locator)
        if isinstance(found, PaperChunk):
            print(f"page {found.page}, {len(found.boxes)} boxes, under {' / '.join(found.heading)}")
            print(" ".join(found.text.split())[:160])
        elif isinstance(found, PaperGlobalSummary):
            print(found.text)
            print("cites " + ", ".join(f"{one.chunk_id} on page {one.page}" for one in found.cited))
    return [str(hit.locator) for hit in (*passages, *summaries)]


def tell(step: str, done: int, total: int | None) -> None:
    if done == total:
        print(f"{step}: done")


@contextmanager
def prepared_model() -> Iterator[str]:
    """A server that answers every chat with the same summary; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), PreparedAnswer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


class PreparedAnswer(BaseHTTPRequestHandler):
    """Speaks as much of the chat interface as a summary needs."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": json.dumps(ANSWER)}
        body = json.dumps({
            "id": "prepared", "object": "chat.completion", "created": 0, "model": "prepared-answer",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 2_000, "completion_tokens": 120, "total_tokens": 2_120},
        }).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


if __name__ == "__main__":
    main()
