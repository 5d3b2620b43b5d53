"""What does it cost to keep a folder of documents in step?

``python bench/folder_sync.py --size smoke|2k|10k [--pages PATH]``: pages of real filings (a collection in the shape of
BEIR), or generated ones when no path is given, are written out as text files. Timed are the first refresh, one with
nothing changed, one with a line added to 1 % of the files, one after a rename of 100, one after 1 % are deleted; with
words only, and with an embedder that counts what it is asked and answers at once, so that no figure holds a model's own
time. Then a folder of 5,000 files in which nothing changes, beside a bare walk over it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from beir import read_documents
from corpus import Corpus
from measure import facts, milliseconds, spread, store
from numpy.typing import NDArray

from hybridkb import KnowledgeBase
from hybridkb.embedders.space import EmbeddingSpace

_A_DAY_AGO = 86_400
_PASSAGES_A_PAGE = 3


@dataclass(frozen=True, slots=True)
class Size:
    """How many files are written, how many lie where nothing changes, and how long to wait after writing.

    A file read within two seconds of its last change is looked at once more: it might have changed again without its
    times telling. Waiting keeps that out of the figures.
    """

    files: int
    unchanged: int
    repetitions: int
    wait_seconds: float = 2.5


SIZES = {"smoke": Size(200, 200, 3, 0.0), "2k": Size(2_000, 5_000, 9), "10k": Size(10_000, 5_000, 15)}


class CountingEmbedder:
    """Vectors from a hash of the text, at once; counts calls and texts."""

    def __init__(self) -> None:
        """Nothing counted yet."""
        self.space = EmbeddingSpace("counting", 384, "1")
        self.calls = self.texts = 0

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector for each text, the same for the same text."""
        self.calls += 1
        self.texts += len(texts)
        digests = b"".join(hashlib.shake_128(text.encode()).digest(384) for text in texts)
        return np.frombuffer(digests, np.uint8).reshape(len(texts), 384).astype(np.float32) - 127.5

    embed_queries = embed_documents

    def taken(self) -> dict[str, int]:
        """What was counted since the last call."""
        counted = {"calls": self.calls, "texts": self.texts}
        self.calls = self.texts = 0
        return counted


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, store."""
    parser = argparse.ArgumentParser(description="Time keeping a folder of documents in step.")
    parser.add_argument("--size", choices=SIZES, default="smoke")
    parser.add_argument("--pages", metavar="PATH", type=Path, help="a collection whose documents are written as files")
    parser.add_argument("--json", metavar="FILE", help="where to write the result")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hybridkb-folder-") as place:
        results = measure(options.size, Path(place), options.pages)
    store("folder", {**facts(), **results}, options.json)
    print(render_folder(results), file=sys.stderr)
    return 0


def measure(name: str, place: Path, pages: Path | None) -> dict[str, Any]:
    """Write the files and refresh, once with words only and once with vectors; then measure what nothing costs."""
    size = SIZES[name]
    found: dict[str, Any] = {
        "size": name,
        "text": pages.name if pages else "generated",
        "files": size.files,
        "runs": {},
    }
    for run, embedder in (("words only", None), ("with vectors", CountingEmbedder())):
        folder = place / run.replace(" ", "-")
        found["megabytes"] = round(write_pages(folder, page_texts(pages, size.files)) / 1e6, 1)
        time.sleep(size.wait_seconds)
        found["runs"][run] = keep_in_step(folder, place / f"{folder.name}.db", embedder, size)
    found["unchanged"] = unchanged(place, pages, size)
    return found


def page_texts(pages: Path | None, count: int) -> Iterator[tuple[str, str]]:
    """Relative paths and texts, of a collection or generated."""
    if pages is not None:
        documents = ((document.name, f"{document.title}\n\n{document.text}\n") for document in read_documents(pages))
    else:
        documents = _generated(count)
    for number, (name, text) in enumerate(islice(documents, count)):
        folder, _, page = name.rpartition("#")
        yield f"{folder or f'part-{number // 200}'}/{page}.txt", text


def _generated(count: int) -> Iterator[tuple[str, str]]:
    passages = (passage for block in Corpus(count * _PASSAGES_A_PAGE).blocks() for passage in block.passages)
    for number in range(count):
        bodies = [passage.text for passage in islice(passages, _PASSAGES_A_PAGE)]
        yield f"report-{number // 200}#p{number % 200 + 1}", "\n\n".join(bodies) + "\n"


def write_pages(folder: Path, texts: Iterator[tuple[str, str]]) -> int:
    """Write files as though a day ago, and say how many bytes they hold."""
    total, before = 0, time.time() - _A_DAY_AGO
    for name, text in texts:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (before, before))
        total += path.stat().st_size
    return total


def keep_in_step(folder: Path, index: Path, embedder: CountingEmbedder | None, size: Size) -> dict[str, Any]:
    """Refresh after each change."""
    knowledge = KnowledgeBase(folder, index, embedder=embedder)
    every = sorted(folder.glob("**/*.txt"))
    some = every[:: max(1, len(every) // max(1, size.files // 100))][: size.files // 100]
    moved = [path for path in every if path not in set(some)][: min(100, size.files // 10)]
    found: dict[str, Any] = {}

    def refresh(step: str, changed: int) -> None:
        if embedder is not None:
            embedder.taken()
        started = time.perf_counter()
        counts = knowledge.refresh()
        seconds = time.perf_counter() - started
        found[step] = {
            "changed_files": changed,
            "seconds": round(seconds, 3),
            "files_per_second": round(changed / seconds) if changed else None,
            "indexed": counts.indexed,
            "removed": counts.removed,
            "passages": counts.passages,
            "unreadable": len(counts.unreadable),
            "embedder": embedder.taken() if embedder is not None else None,
        }
        print(f"{folder.name}: {step}: {found[step]}", file=sys.stderr)

    with knowledge:
        refresh("first", len(every))
        refresh("nothing changed", 0)
        for path in some:
            path.write_text(path.read_text(encoding="utf-8") + "\nA line was added.\n", encoding="utf-8")
        refresh("1 % changed", len(some))
        for path in moved:
            path.rename(path.with_name(f"renamed-{path.name}"))
        refresh("renamed", len(moved))
        for path in some:
            path.unlink()
        refresh("1 % deleted", len(some))
    found["index_megabytes"] = round(sum(part.stat().st_size for part in index.parent.glob(f"{index.name}*")) / 1e6, 1)
    return found


def unchanged(place: Path, pages: Path | None, size: Size) -> dict[str, Any]:
    """What a refresh costs when nothing changed, beside reading the names and times of the files and nothing else."""
    folder = place / "unchanged"
    write_pages(folder, page_texts(pages, size.unchanged))
    time.sleep(size.wait_seconds)
    with KnowledgeBase(folder, place / "unchanged.db", embedder=None) as knowledge:
        knowledge.refresh()
        knowledge.refresh()
        times = [milliseconds(knowledge.refresh) for _ in range(size.repetitions)]
        walks = [milliseconds(lambda: _walk(folder)) for _ in range(size.repetitions)]
    return {"files": size.unchanged, "refresh_ms": spread(times), "bare_walk_ms": spread(walks)}


def _walk(folder: Path) -> int:
    paths = (os.path.join(root, name) for root, _, names in os.walk(folder) for name in names)
    return sum(os.stat(path).st_mtime_ns > 0 for path in paths)


def render_folder(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [
        f"{results['files']:,} text files, {results['megabytes']} MB ({results['text']}){_provenance(results)}.",
        "",
        "| run | refresh | files that differ | seconds | files/s | passages after | embedder calls | texts embedded |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for run, steps in results["runs"].items():
        for step, one in steps.items():
            if isinstance(one, dict):
                asked = one["embedder"] or {"calls": "", "texts": ""}
                speed = f"{one['files_per_second']:,}" if one["files_per_second"] else ""
                lines.append(
                    f"| {run} | {step} | {one['changed_files']:,} | {one['seconds']} | {speed} | {one['passages']:,} "
                    f"| {_number(asked['calls'])} | {_number(asked['texts'])} |"
                )
    still = results["unchanged"]
    sizes = ", ".join(f"{run} {steps['index_megabytes']} MB" for run, steps in results["runs"].items())
    lines += [
        "",
        f"Nothing changed in {still['files']:,} files: a refresh takes p50 {still['refresh_ms']['p50']} ms, p95 "
        f"{still['refresh_ms']['p95']} ms; reading their names and times alone takes {still['bare_walk_ms']['p50']} ms."
        f" Index: {sizes}.",
    ]
    return "\n".join(lines) + "\n"


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else ""


def _provenance(results: dict[str, Any]) -> str:
    if "machine" not in results:
        return ""
    machine = results["machine"]
    return (
        f"; {results['date']}, commit {results['revision']}, {machine['processor']}, {machine['cores']} cores, "
        f"load average {machine['load_average']} at the end"
    )


if __name__ == "__main__":
    sys.exit(main())
