"""Several writers at once: a paper is stored once, and what is embedded fits what is written."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput
from support.fake_embedder import HashEmbedder
from support.papers import make_result


class Interrupted(HashEmbedder):
    """Lets something else happen while the first texts are embedded."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.meanwhile: Any = None

    def embed_documents(self, texts: Any) -> Any:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().embed_documents(texts)


def test_the_same_paper_from_two_threads_is_stored_once(library: HybridLibrary) -> None:
    reports: list[Any] = []
    threads = [threading.Thread(target=lambda: reports.append(library.put_paper(make_result()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.effect for report in reports) == ["added", "unchanged", "unchanged", "unchanged"]
    assert (library.stats().items, library.stats().blobs) == (4, 4)


def test_another_process_puts_it_while_it_is_embedded(open_library: Any) -> None:
    embedder = Interrupted(16)
    slow, fast = open_library(embedder=embedder), open_library(embedder=HashEmbedder(16))
    embedder.meanwhile = lambda: fast.put_paper(make_result())
    report = slow.put_paper(make_result())
    assert (report.effect, report.records, report.pending) == ("unchanged", 0, 0)
    assert slow.stats().papers == 1


def test_another_process_purges_it_while_a_sibling_is_embedded(open_library: Any) -> None:
    embedder = Interrupted(16)
    slow, fast = open_library(embedder=embedder), open_library(embedder=HashEmbedder(16))
    first = make_result()
    fast.put_paper(first)
    embedder.meanwhile = lambda: fast.purge(first.source.id)
    report = slow.put_paper(make_result(blocks_per_chunk=2, summary="Two."))
    assert (report.effect, report.pending) == ("added", 0), "what had a vector before is embedded again"
    assert [one.effect for one in report.artifacts] == ["added"] * 3
    assert slow.search("attention", mode="semantic").pending == 0


def test_what_no_longer_fits_after_embedding_is_refused_whole(open_library: Any) -> None:
    embedder = Interrupted(16)
    slow, fast = open_library(embedder=embedder), open_library(embedder=HashEmbedder(16))
    first = make_result()
    fast.put_paper(first)
    embedder.meanwhile = lambda: fast.purge(first.source.id)
    without_bytes = replace(make_result(blocks_per_chunk=2, summary="Two."), blobs={})
    with pytest.raises(InvalidInput, match="neither in the result's blobs"):
        slow.put_paper(without_bytes)
    assert slow.stats().items == 0
