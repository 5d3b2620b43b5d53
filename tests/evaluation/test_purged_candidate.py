"""What is purged leaves the candidate beside the library as well, whoever is at work on it, and never comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import DatabaseBusy, DatabaseError, PromotionRefused
from hybridkb.evaluation import discard_candidate, promote, reindex
from oracles.items import item_id, note
from support.candidates import candidate_address, holding_of
from support.fake_embedder import HashEmbedder
from support.judged_library import BETTER, FAIR, evaluate, fill, gold
from support.raw_rows import ask, job_lock

SECRET = "zebrasecret"


@pytest.fixture
def library(open_library: Any) -> HybridLibrary:
    library = fill(open_library(embedder=FAIR))
    library.put_many([note("secret", f"{SECRET} word1"), note("twin", "word2 twin")])
    evaluate(library, k=3)
    promote(library, baseline=True)
    return library


def build(library: HybridLibrary, **arguments: Any) -> Any:
    return reindex(library, **{"gold": gold(), "k": 3, "depth": 20, "resamples": 200, "embedder": BETTER, **arguments})


def holding(library: HybridLibrary) -> list[str]:
    """Files beside the library, and it, or tables of both, that hold the secret."""
    return holding_of(library, SECRET)


def loose_vectors(path: str) -> int:
    """Vectors of texts that no record shows."""
    question = "SELECT count(*) FROM embedding WHERE text_hash NOT IN (SELECT text_hash FROM record)"
    return int(ask(Path(path), question)[0][0])


@pytest.mark.both_engines
def test_a_purge_reaches_the_candidate_and_compacting_its_bytes(library: HybridLibrary) -> None:
    candidate = build(library).candidate
    library.purge(item_id("secret"), reason="licence")
    with HybridLibrary.open(candidate, embedder=BETTER) as copy:
        assert all(SECRET not in hit.matched_text for hit in copy.search(f"{SECRET} word1", top_k=100))
        assert copy.check().ok
    assert loose_vectors(candidate) == 0
    library.compact()
    assert holding(library) == []


def test_a_candidate_that_lost_something_is_made_again_and_keeps_its_vectors(library: HybridLibrary) -> None:
    build(library)
    library.purge(item_id("secret"))
    with pytest.raises(PromotionRefused, match="reindex again"):
        promote(library, embedder=BETTER)
    report = build(library)
    assert (report.embedded, loose_vectors(report.candidate)) == (0, 0)
    assert promote(library, embedder=BETTER).promoted
    library.compact()
    assert holding(library) == []
    assert loose_vectors(library.path) == 0


@pytest.mark.parametrize("stage", ["copying", "embedding", "evaluating"])
def test_what_is_purged_while_a_candidate_is_made_is_not_in_it(library: HybridLibrary, stage: str) -> None:
    def progress(at: str, done: int, total: int | None) -> None:
        if at == stage and not purged:
            purged.append(at)
            library.purge(item_id("secret"))

    purged: list[str] = []
    candidate = build(library, embedder=HashEmbedder(256, "better"), progress=progress).candidate
    with HybridLibrary.open(candidate, embedder=BETTER) as copy:
        assert all(SECRET not in hit.matched_text for hit in copy.search(f"{SECRET} word1", top_k=100))
    library.compact()
    assert (purged, holding(library), loose_vectors(candidate)) == ([stage], [], 0)


def test_a_purge_does_not_wait_for_whoever_is_at_work(library: HybridLibrary) -> None:
    build(library)
    with job_lock(library.path, "reindex", wait_seconds=0):
        library.purge(item_id("secret"))
        with pytest.raises(DatabaseBusy):
            library.compact()
    library.compact()
    assert holding(library) == []


def test_what_was_purged_and_put_again_stays_in_both(library: HybridLibrary) -> None:
    library.purge(item_id("secret"))
    library.put(note("secret", f"{SECRET} again"))
    candidate = build(library).candidate
    library.purge(item_id("twin"))
    with HybridLibrary.open(candidate, embedder=BETTER) as copy:
        assert copy.search(SECRET, mode="lexical")[0].item_id == item_id("secret")


@pytest.mark.sqlite_only("spoils a file")
def test_another_file_in_its_place_is_left_alone_and_a_spoilt_one_told(library: HybridLibrary) -> None:
    path = candidate_address(library)
    with HybridLibrary.open(path, embedder=None) as other:
        other.put(note("secret", f"{SECRET} of somebody else"))
    library.purge(item_id("secret"))
    with HybridLibrary.open(path, embedder=None) as other:
        assert len(other.search(SECRET)) == 1
    Path(path).write_bytes(b"spoilt" * 1000)
    with pytest.raises(DatabaseError, match="may still hold what was purged"):
        library.purge(item_id("twin"))
    assert len(library.search("twin", mode="lexical")) == 0
    assert discard_candidate(library.path)
