"""A paper over time: what was made of it always has its source's times, and later things change no answer of before."""

from __future__ import annotations

from typing import Any

import pytest

from hybridkb import HybridLibrary, SearchHit
from hybridkb.errors import InvalidInput, NotFound
from hybridkb.knowledge import SourceRef
from oracles.items import day, note
from support.fake_embedder import HashEmbedder
from support.papers import PAGES, make_result, make_source, result_of

QUESTION = "attention instead of recurrence"


def seen(library: Any, text: str = QUESTION, **options: Any) -> list[tuple[Any, ...]]:
    """Everything an answer says, to the last bit."""
    found = library.search(text, top_k=50, **options)
    return [facts(hit) for hit in found]


def facts(hit: SearchHit) -> tuple[Any, ...]:
    return (
        str(hit.locator), hit.score.hex(), hit.relevance.hex(), hit.title, hit.matched_text, hit.available_at,
        hit.as_of, hit.source, hit.page, hit.citations, hit.revision,
    )  # fmt: skip


def times(library: HybridLibrary, result: Any) -> set[tuple[Any, ...]]:
    """The times of every revision of every part; one set when all agree."""
    parts = (result.source, *result.artifacts)
    return {tuple((one.available_at, one.as_of, one.current) for one in library.history(part.id)) for part in parts}


def test_a_later_put_of_the_same_bytes_revises_all_of_it(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put_paper(make_result(available_at=day(1)))
    calls = len(embedder.document_texts)
    result = make_result(available_at=day(5))
    report = library.put_paper(result)
    assert report.effect == "revised"
    assert [one.effect for one in report.artifacts] == ["revised"] * 3
    assert len(embedder.document_texts) == calls, "the texts are the same"
    assert times(library, result) == {((day(1), day(1), False), (day(5), day(5), True))}
    assert [hit.available_at for hit in library.search(QUESTION, available_at_before=day(4))[:1]] == [day(1)]
    assert library.get_paper(result.source.id, at=day(2)).source.available_at == day(1)


def test_an_earlier_put_is_inserted_before(library: HybridLibrary) -> None:
    library.put_paper(make_result(available_at=day(5)))
    result = make_result(available_at=day(2))
    report = library.put_paper(result)
    assert report.effect == "inserted"
    assert times(library, result) == {((day(2), day(2), False), (day(5), day(5), True))}
    assert seen(library, available_at_before=day(3))


def test_availability_that_becomes_known_replaces(library: HybridLibrary) -> None:
    library.put_paper(make_result(available_at=None))
    assert seen(library)
    assert not seen(library, available_at_before=day(300))
    result = make_result(available_at=day(5))
    assert library.put_paper(result).effect == "corrected"
    assert times(library, result) == {((day(5), day(5), True),)}
    with pytest.raises(InvalidInput, match="available_at"):
        library.put_paper(make_result(available_at=None, title="Another title"))


def test_siblings_that_are_not_put_again_follow_their_source(library: HybridLibrary) -> None:
    old = make_result(available_at=day(1), summary="Old.")
    library.put_paper(old)
    library.put_paper(make_result(available_at=day(1), blocks_per_chunk=2, summary="New."))
    report = library.put_paper(make_result(available_at=day(6), blocks_per_chunk=2, summary="New."))
    assert report.siblings == 2
    assert times(library, old) == {((day(1), day(1), False), (day(6), day(6), True))}
    assert library.get_artifact(old.chunk_set.id).available_at == day(6)
    assert not [hit for hit in library.search(QUESTION, top_k=50) if hit.artifact_id == old.chunk_set.id]


def test_another_reading_of_the_same_bytes_corrects_the_source(library: HybridLibrary) -> None:
    first = make_result()
    library.put_paper(first)
    pages = ((*PAGES[0], ("text", "A footnote that the earlier reader missed.")), *PAGES[1:])
    second = make_result(pages=pages, parser_version="2")  # type: ignore[arg-type]
    assert second.source.id == first.source.id
    report = library.put_paper(second)
    assert report.effect == "corrected"
    assert [one.effect for one in report.artifacts] == ["added", "added", "corrected"], "the sections are the same"
    paper = library.get_paper(first.source.id)
    assert (paper.source, paper.chunk_set) == (second.source, second.chunk_set)
    assert library.resolve(f"artifact:{first.chunk_set.id}#c0001") == first.chunk_set.chunks[1], "from its own text"
    assert library.history(first.source.id)[0].content_hash
    assert [edit.kind for edit in library.audit().findings if edit.kind == "edit_of_the_past"] == ["edit_of_the_past"]


def test_a_corrected_title_shows_in_every_record(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put_paper(make_result())
    before = library.snapshot(at=day(9))
    embedder.document_texts.clear()
    report = library.put_paper(make_result(title="Attention, Corrected", tags=("nlp",)))
    assert (report.effect, report.embedded) == ("corrected", 10)
    hits = library.search("attention", top_k=50)
    assert len(hits) == 10
    assert all(hit.title.startswith("Attention, Corrected") for hit in hits)
    assert len(library.search("attention", tags=["nlp"], top_k=50)) == 10
    assert before.changed


def test_a_correction_that_shows_nowhere_moves_no_record(library: HybridLibrary) -> None:
    library.put_paper(make_result())
    fingerprint = library.search(QUESTION).fingerprint
    report = library.put_paper(make_result(authors=("C. Author",)))
    assert (report.effect, report.records) == ("corrected", 0)
    assert library.search(QUESTION).fingerprint == fingerprint
    assert library.get_paper(report.source_id).source.authors == ("C. Author",)


def test_what_is_added_later_for_another_time_changes_no_answer_of_before(open_library: Any) -> None:
    """The promise: T lies before the paper's availability, whatever is made of it."""
    library, other = open_library(), open_library("other.db")
    for one in (library, other):
        one.put_many(note(number, f"attention {number} recurrence", available_at=day(number)) for number in range(4))
        one.put_paper(make_result("old", title="Old paper", available_at=day(2)))
    cutoffs = [day(number) for number in (1, 2, 3)]
    before = [seen(library, available_at_before=cutoff) for cutoff in cutoffs]
    prints = [library.search(QUESTION, available_at_before=cutoff).fingerprint for cutoff in cutoffs]
    snapshots = [library.snapshot(at=cutoff) for cutoff in cutoffs]
    library.put_paper(make_result("new", available_at=day(4)))
    library.put_paper(make_result("new", available_at=day(4), blocks_per_chunk=2, summary="Again."))
    first = library.get_paper(make_source("new")[0].id).artifacts
    library.make_current(next(one.artifact_id for one in first if not one.current))
    library.put_paper(make_result("old", title="Old paper", available_at=day(7)))
    library.delete(make_source("new")[0].id, at=day(8))
    library.optimize()
    for cutoff, answer, name, snapshot in zip(cutoffs, before, prints, snapshots, strict=True):
        assert seen(library, available_at_before=cutoff) == answer == seen(other, available_at_before=cutoff)
        assert library.search(QUESTION, available_at_before=cutoff).fingerprint == name
        assert not snapshot.changed
    library.rebuild()
    assert [seen(library, available_at_before=cutoff) for cutoff in cutoffs] == before


def test_another_artifact_for_a_known_time_is_told(library: HybridLibrary) -> None:
    """Re-deriving what was observable before T may change answers at T, and leaves a row."""
    library.put_paper(make_result(available_at=day(1)))
    snapshot = library.snapshot(at=day(3))
    fingerprint = snapshot.search(QUESTION).fingerprint
    library.put_paper(make_result(available_at=day(1), blocks_per_chunk=2, summary="Again."))
    assert snapshot.changed
    assert snapshot.search(QUESTION).fingerprint != fingerprint
    found = [one for one in library.audit().findings if one.kind == "edit_of_the_past"]
    assert found[0].groups["edit"]["current"] == 2


def test_a_snapshot_sees_papers_as_they_stood(library: HybridLibrary) -> None:
    result = make_result(available_at=day(5), arxiv_id="1706.03762v7")
    library.put_paper(result)
    early, late = library.snapshot(at=day(4)), library.snapshot(at=day(5))
    source_id, chunk = result.source.id, f"artifact:{result.chunk_set.id}#c0000"
    for ask in (
        lambda view: view.get(source_id),
        lambda view: view.get_paper("1706.03762"),
        lambda view: view.get_paper(source_id),
        lambda view: view.get_artifact(result.chunk_set.id),
        lambda view: view.get_blob(result.source.sha256),
        lambda view: view.resolve(chunk),
        lambda view: view.history(result.chunk_set.id),
    ):
        with pytest.raises(NotFound):
            ask(early)
        assert ask(late)
    assert (early.stats().papers, early.stats().items) == (0, 0)
    assert (late.stats().papers, late.stats().items) == (1, 4)
    assert len(early.search(QUESTION)) == 0
    assert late.resolve(chunk) == result.chunk_set.chunks[0]


def test_a_snapshot_does_not_tell_of_a_later_withdrawal(library: HybridLibrary) -> None:
    result = make_result(available_at=day(1))
    library.put_paper(result)
    snapshot = library.snapshot(at=day(3))
    library.delete(result.source.id, at=day(5))
    assert snapshot.get_paper(result.source.id).chunk_set == result.chunk_set
    assert [one.current for one in snapshot.history(result.source.id)] == [True]
    with pytest.raises(NotFound, match="withdrawn"):
        library.get_paper(result.source.id)
    assert library.get_paper(result.source.id, at=day(3)).summary == result.summary


def test_provenance_and_published_day_come_from_the_source(library: HybridLibrary) -> None:
    source, blobs = make_source(
        source=SourceRef(kind="arxiv", uri="https://arxiv.org/abs/x", published_at=day(3)), available_at=day(3)
    )
    library.put_paper(result_of(source, blobs))
    assert len(library.search("attention", doc_date_after="2024-01-04", source_kinds=["arxiv"], top_k=50)) == 10
    assert len(library.search("attention", doc_date_after="2024-01-05", top_k=50)) == 0
