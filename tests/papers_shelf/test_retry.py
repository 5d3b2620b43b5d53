"""What an earlier put left pending is embedded by the next one, or the next one says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import EmbedderError, EmbedderUnavailable
from support.fake_embedder import HashEmbedder
from support.papers import make_result


class Choosy(HashEmbedder):
    """Gives no usable vector to texts that hold a word."""

    refused = "28.4"

    def _vector(self, text: str) -> Any:
        if self.refused and self.refused in text:
            return np.full(self.space.dimensions, np.nan)
        return super()._vector(text)


def test_the_next_put_embeds_what_was_left(library: HybridLibrary, embedder: HashEmbedder) -> None:
    result = make_result()
    embedder.fail_with = EmbedderUnavailable("down")
    assert library.put_paper(result, require_embeddings=False).pending == 10
    with pytest.raises(EmbedderUnavailable):
        library.put_paper(result)
    report = library.put_paper(result, require_embeddings=False)
    assert (report.effect, report.pending, report.degraded) == ("unchanged", 10, "down")
    embedder.fail_with = None
    report = library.put_paper(result)
    assert (report.effect, report.records, report.embedded, report.pending) == ("unchanged", 0, 10, 0)
    assert library.stats().pending == 0
    sent = len(embedder.document_texts)
    generation = library.stats().generation
    assert library.put_paper(result).embedded == 0
    assert (len(embedder.document_texts), library.stats().generation) == (sent, generation)


def test_a_text_that_fails_is_named_until_it_does_not(open_library: Any) -> None:
    embedder = Choosy(16)
    library = open_library(embedder=embedder)
    result = make_result()
    for _ in range(2):
        report = library.put_paper(result, require_embeddings=False)
        assert [locator for locator, _ in report.failed_texts] == [f"artifact:{result.chunk_set.id}#c0004"]
        assert report.pending == 1
    with pytest.raises(EmbedderError, match="nothing was written"):
        library.put_paper(result)
    embedder.refused = ""
    report = library.put_paper(result)
    assert (report.embedded, report.pending, report.failed_texts) == (1, 0, ())


def test_a_sibling_needs_what_it_shares_with_what_was_left(library: HybridLibrary, embedder: HashEmbedder) -> None:
    embedder.fail_with = EmbedderUnavailable("down")
    library.put_paper(make_result(), require_embeddings=False)
    embedder.fail_with = None
    report = library.put_paper(make_result(prompt="2", summary="Another."))
    assert [one.effect for one in report.artifacts] == ["unchanged", "added", "unchanged"]
    assert (report.embedded, report.pending) == (10, 0), "chunks, sections and the new summary"
    assert library.embed_pending().embedded == 1


def test_without_an_embedder_nothing_is_missing(open_library: Any, embedder: HashEmbedder) -> None:
    open_library().put_paper(make_result())
    library = open_library(embedder=None)
    generation = library.stats().generation
    report = library.put_paper(make_result())
    assert (report.effect, report.pending, library.stats().generation) == ("unchanged", 0, generation)
