"""A paper leaves with all that was made of it, and purged it leaves nothing behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import NotFound
from oracles.items import day
from support.fake_embedder import HashEmbedder
from support.papers import make_result, make_source, result_of
from support.raw_file import ask


def test_deleting_a_paper_withdraws_all_of_it(library: HybridLibrary) -> None:
    result = make_result(available_at=day(1))
    library.put_paper(result)
    library.put_paper(make_result(available_at=day(1), blocks_per_chunk=2, summary="Two."))
    library.delete(result.source.id, at=day(5))
    assert not library.search("attention")
    assert len(library.search("attention", available_at_before=day(4), top_k=50)) == 8
    for part in (result.source, *result.artifacts):
        assert library.history(part.id)[0].withdrawn_at == day(5)
    with pytest.raises(NotFound, match="withdrawn already"):
        library.delete(result.source.id, at=day(6))
    report = library.put_paper(result)
    assert report.withdrawn
    assert not library.search("attention")


def test_a_later_put_brings_it_back_with_all_of_it(library: HybridLibrary) -> None:
    old = make_result(available_at=day(1), summary="Old.")
    library.put_paper(old)
    library.put_paper(make_result(available_at=day(1), blocks_per_chunk=2, summary="New."))
    library.delete(old.source.id, at=day(5))
    report = library.put_paper(make_result(available_at=day(7), blocks_per_chunk=2, summary="New."))
    assert (report.effect, report.siblings, report.withdrawn) == ("revised", 2, False)
    assert len(library.search("attention", top_k=50)) == 8
    assert not library.search("attention", available_at_before=day(6))
    assert library.search("recurrent", artifact_ids=[old.chunk_set.id])


def test_an_artifact_added_to_a_withdrawn_paper_is_withdrawn(library: HybridLibrary) -> None:
    result = make_result(available_at=day(1))
    library.put_paper(result)
    library.delete(result.source.id, at=day(5))
    other = make_result(available_at=day(1), blocks_per_chunk=2, summary="Two.")
    library.put_paper(other)
    assert library.history(other.chunk_set.id)[0].withdrawn_at == day(5)
    assert not library.search("attention")
    assert library.search("attention", available_at_before=day(3))


def test_an_artifact_that_was_withdrawn_alone_does_not_come_back_with_its_paper(library: HybridLibrary) -> None:
    result = make_result(available_at=day(1))
    assert result.tree is not None
    library.put_paper(result)
    library.delete(result.tree.id, at=day(3))
    library.put_paper(make_result(available_at=day(6), tree=False))
    assert not library.search("attention", artifact_kinds=["paper_tree"])
    assert len(library.history(result.tree.id)) == 1


def test_a_paper_of_unknown_availability_goes_altogether(library: HybridLibrary) -> None:
    result = make_result(available_at=None)
    library.put_paper(result)
    library.delete(result.source.id)
    stats = library.stats()
    assert (stats.items, stats.papers, stats.blobs, stats.artifacts) == (0, 0, 0, {})
    assert [one.kind for one in library.audit().findings if one.kind == "purge"] == []


def test_a_chunk_set_of_unknown_availability_may_go_alone(library: HybridLibrary) -> None:
    result = make_result(available_at=None)
    library.put_paper(result)
    library.delete(result.chunk_set.id)
    paper = library.get_paper(result.source.id)
    assert (paper.chunk_set, paper.summary) == (None, result.summary)


def test_purging_a_paper_purges_all_of_it(library: HybridLibrary) -> None:
    result = make_result()
    library.put_paper(result)
    library.purge(result.source.id, reason="licence ended")
    stats = library.stats()
    assert (stats.items, stats.records, stats.blobs, stats.blob_bytes) == (0, 0, 0, 0)
    for part in (result.source, *result.artifacts):
        with pytest.raises(NotFound, match="licence ended"):
            library.get(part.id)
    with pytest.raises(NotFound):
        library.get_blob(result.source.sha256)
    assert library.put_paper(result).effect == "added"


def test_shared_blobs_stay_as_long_as_somebody_needs_them(library: HybridLibrary) -> None:
    first, blobs = make_source("one")
    second, others = make_source("two", pictures=False)
    second = second.model_copy(update={"assets": first.assets})
    library.put_paper(result_of(first, blobs))
    library.put_paper(result_of(second, {name: {**blobs, **others}[name] for name in second.blobs}))
    library.purge(first.id)
    assert all(library.get_blob(name) for name in second.blobs)
    with pytest.raises(NotFound):
        library.get_blob(first.sha256)
    library.purge(second.id)
    assert library.stats().blobs == 0


def test_purging_the_current_one_makes_the_newest_other_current(library: HybridLibrary) -> None:
    results = [make_result(blocks_per_chunk=size, summary=None, tree=False) for size in (1, 2, 3)]
    distinct = {result.chunk_set.id: result for result in results}
    for result in results:
        library.put_paper(result)
    assert len(distinct) == 3
    library.purge(results[2].chunk_set.id)
    assert library.get_paper(results[0].source.id).chunk_set == results[1].chunk_set
    assert {hit.artifact_id for hit in library.search("attention")} == {results[1].chunk_set.id}
    library.purge(results[1].chunk_set.id)
    library.purge(results[0].chunk_set.id)
    paper = library.get_paper(results[0].source.id)
    assert (paper.chunk_set, paper.artifacts) == (None, ())


def test_a_summary_outlives_the_chunk_set_it_was_made_from(library: HybridLibrary) -> None:
    result = make_result()
    library.put_paper(result)
    library.purge(result.chunk_set.id)
    paper = library.get_paper(result.source.id)
    assert (paper.chunk_set, paper.summary) == (None, result.summary)
    library.rebuild()
    assert library.put_paper(result).artifacts[0].effect == "added"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.sqlite_only("reads the bytes of the file")
def test_every_trace_of_a_purged_paper_leaves_the_file(open_library: Any, tmp_path: Path, packed: bool) -> None:
    pages: Any = ((("heading", "1 Xyzzysecret"), ("text", "The plughsecret words of a frotzsecret paper.")),)
    library = open_library(embedder=HashEmbedder(64))
    library.put_paper(make_result("kept", title="Kept"))
    said: dict[str, Any] = {
        "title": "Quuxsecret title", "summary": "A grault summary.", "tree": False, "arxiv_id": "2101.98765v1"
    }  # fmt: skip
    result = make_result("secret", pages, authors=("Garplysecret",), **said)
    library.put_paper(result)
    library.put_paper(make_result("secret", pages, available_at=day(5), authors=("Waldosecret",), **said))
    if packed:
        library.optimize()
    path = Path(library.path)
    ids = tuple(str(part.id) for part in (result.source, *result.artifacts))
    where = f"FROM revision JOIN item USING (item_no) WHERE item_id IN {ids}"
    traces = [row[0] for what in ("payload", "content_hash") for row in ask(path, f"SELECT {what} {where}")]
    records = f"SELECT text_hash FROM record WHERE revision_no IN (SELECT revision_no {where})"
    traces += [row[0] for row in ask(path, records)]
    assert len(traces) > 10
    traces += [*result.blobs.values(), result.source.sha256.encode()]
    traces += [b"xyzzysecret", b"plughsecret", b"frotz", b"Quuxsecret", b"grault", b"Garply", b"Waldo", b"2101.98765"]
    library.purge(result.source.id, reason="licence ended")
    library.compact()
    held = b"".join(file.read_bytes() for file in tmp_path.glob("library.db*"))
    assert not [trace for trace in traces if trace in held]
    assert b"licence ended" in held
    assert library.get_paper(make_source("kept")[0].id)


@pytest.mark.sqlite_only("copies the file")
def test_a_purge_reaches_a_copy(open_library: Any, tmp_path: Path) -> None:
    """A candidate beside the library: whatever the order of the tombstones, all of the paper leaves it."""
    from hybridkb.database.sqlite_database import SqliteDatabase
    from hybridkb.upkeep.candidate_copy import carry_purges

    library = open_library()
    result = make_result()
    library.put_paper(result)
    library.put_paper(make_result("kept", title="Kept"))
    copy_path = tmp_path / "copy.db"
    ask(Path(library.path), f"VACUUM INTO '{copy_path}'")
    library.purge(result.source.id)
    with HybridLibrary.open(copy_path, embedder=None) as copied:
        copied.stats()
    database, copy = SqliteDatabase(library.path), SqliteDatabase(copy_path)
    assert carry_purges(database, copy)
    database.close()
    copy.close()
    with HybridLibrary.open(copy_path, embedder=None) as copied:
        assert copied.check().ok
        assert copied.stats().papers == 1
        assert copied.stats().blobs == 4


def test_what_was_withdrawn_alone_stays_so_and_keeps_its_past_in_step(library: HybridLibrary) -> None:
    """Also where its source was withdrawn after it, and came back; what is put about the time before reaches it."""
    result = make_result(available_at=day(2))
    assert result.summary is not None
    library.put_paper(result)
    library.delete(result.summary.id, at=day(4))
    for title, when in (("Corrected", 2), ("Inserted", 1)):
        library.put_paper(make_result(available_at=day(when), title=title, summary=None))
        library.check().raise_if_broken()
    hits = library.search("recurrence", artifact_kinds=["paper_summary"], available_at_before=day(3))
    assert [hit.title for hit in hits] == ["Corrected"]
    library.delete(result.source.id, at=day(6))
    library.put_paper(make_result(available_at=day(8), title="Corrected", summary=None))
    assert library.get_paper(result.source.id).summary is None
    assert not library.search("recurrence", artifact_kinds=["paper_summary"])
    assert [one.withdrawn_at for one in library.history(result.summary.id)] == [None, day(4)]
    library.rebuild()
    library.check().raise_if_broken()
    library.put_paper(make_result(available_at=day(8), title="Corrected"))
    assert library.get_paper(result.source.id).summary is not None, "unless it is put again"
