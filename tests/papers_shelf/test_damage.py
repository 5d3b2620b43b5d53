"""Broken rows of papers are named by check(), read by nobody, and mended where they can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import BrokenInvariant, NotFound, StaleIndex
from oracles.items import note
from papers_shelf.breaks import EMPTY, LOST, MENDED, NEWER, OLDER, OTHERS, SUMMARY, PaperBreak
from support.fake_embedder import HashEmbedder
from support.papers import make_result
from support.raw_rows import ask, copy_library, dump, run


@pytest.fixture(scope="module")
def whole(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("papers") / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        library.put(note("n", "attention in a note"))
        library.put_paper(make_result(arxiv_id="1706.03762v7", summary="One."))
        library.put_paper(make_result(arxiv_id="1706.03762v7", blocks_per_chunk=2, summary="Two."))
        library.optimize()
        library.check().raise_if_broken()
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    target = tmp_path / "library.db"
    copy_library(whole, target)
    return target


def codes(path: Path) -> set[str]:
    with HybridLibrary.open(path, embedder=None) as library:
        return {finding.code for finding in library.check().findings}


def answers(path: Path) -> list[Any]:
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        found = library.search("attention without recurrence", top_k=50)
        return [(str(hit.locator), hit.score.hex(), hit.source_id) for hit in found]


@pytest.mark.parametrize("kind", MENDED)
def test_derived_damage_is_named_and_mended(kind: str, path: Path, whole: Path) -> None:
    run(path, *MENDED[kind].statements)
    assert codes(path) == MENDED[kind].codes
    with HybridLibrary.open(path, embedder=None) as library:
        library.rebuild()
        library.check().raise_if_broken()
    assert answers(path) == answers(whole)
    tables = ("artifact", "artifact_lineage", "blob_use", "paper_revision", "blob")
    assert dump(path, tables) == dump(whole, tables)


@pytest.mark.parametrize("kind", LOST)
def test_lost_bytes_are_named_and_not_built_upon(kind: str, path: Path) -> None:
    run(path, *LOST[kind].statements)
    assert codes(path) == LOST[kind].codes
    with (
        HybridLibrary.open(path, embedder=None) as library,
        pytest.raises(BrokenInvariant, match="nothing was rebuilt"),
    ):
        library.rebuild()


@pytest.mark.parametrize("kind", [*LOST, *(kind for kind in OTHERS if OTHERS[kind].codes == {"blob_damaged"})])
def test_damaged_bytes_are_handed_to_nobody_and_put_again(kind: str, path: Path) -> None:
    case: PaperBreak = {**LOST, **OTHERS}[kind]
    ((name,),) = ask(path, "SELECT min(sha256) FROM blob")
    run(path, *case.statements)
    assert codes(path) == case.codes
    result = make_result(arxiv_id="1706.03762v7", summary="One.")
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        with pytest.raises(BrokenInvariant, match=name) as caught:
            library.get_blob(name)
        assert caught.value.findings
        with pytest.raises(BrokenInvariant):
            list(library.export())
        report = library.put_paper(result)
        assert report.effect == "unchanged"
        assert library.get_blob(name) == result.blobs[name]
        library.check().raise_if_broken()


def test_bytes_of_nobody_are_not_handed_out_and_compacted_away(path: Path) -> None:
    case = OTHERS["bytes of nobody"]
    run(path, *case.statements)
    assert codes(path) == case.codes
    with HybridLibrary.open(path, embedder=None) as library:
        with pytest.raises(NotFound):
            library.get_blob(EMPTY)
        library.compact()
        library.check().raise_if_broken()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (f"UPDATE artifact SET config_hash = 'x' WHERE item_no = {NEWER}", "configuration"),
        (f"UPDATE artifact_lineage SET ancestor_id = 'x' WHERE item_no = {SUMMARY}", "lineage"),
        (f"UPDATE artifact SET source_no = {OLDER} WHERE item_no = {NEWER}", "another source"),
        (f"UPDATE revision SET content_hash = zeroblob(32) WHERE item_no IN ({NEWER}, {SUMMARY})", "hash"),
        (f"UPDATE revision SET payload = zeroblob(9) WHERE item_no IN ({NEWER}, {SUMMARY})", "damaged"),
        (f"UPDATE artifact SET members = members + 1 WHERE item_no IN ({NEWER}, {SUMMARY})", "records"),
    ],
)
def test_whoever_reads_a_damaged_artifact_hears_it(path: Path, statement: str, said: str) -> None:
    run(path, statement)
    newest = make_result(arxiv_id="1706.03762v7", blocks_per_chunk=2, summary="Two.")
    assert newest.summary is not None
    with HybridLibrary.open(path, embedder=None) as library:
        broken = newest.summary.id if "lineage" in statement else newest.chunk_set.id
        for read in (lambda: library.get_artifact(broken), lambda: library.resolve(f"artifact:{broken}")):
            with pytest.raises(BrokenInvariant, match=said):
                read()
        if "source_no" not in statement:  # else it is no longer listed under its paper
            with pytest.raises(BrokenInvariant, match=said):
                library.get_paper("1706.03762")


def test_an_altered_source_is_read_by_nobody(path: Path) -> None:
    run(path, "UPDATE revision SET content_hash = zeroblob(32) WHERE revision_no IN (SELECT revision_no FROM blob_use)")
    with HybridLibrary.open(path, embedder=None) as library:
        source_id = make_result().source.id
        for read in (lambda: library.get(source_id), lambda: library.get_paper(source_id)):
            with pytest.raises(BrokenInvariant, match="altered"):
                read()
        assert "item_altered" in {finding.code for finding in library.check().findings}


def test_an_altered_record_is_stale(path: Path) -> None:
    run(path, "UPDATE record_text SET body = body || ' forged' WHERE record_id IN "
        "(SELECT record_id FROM record WHERE artifact_kind = 'paper_summary' AND current = 1)")  # fmt: skip
    with HybridLibrary.open(path, embedder=None) as library, pytest.raises(StaleIndex):
        library.search("two", artifact_kinds=["paper_summary"])


@pytest.mark.parametrize("value", [
    "NULL", "'1706.03762v7'",
    pytest.param("zeroblob(3)", marks=pytest.mark.sqlite_only("no bytes fit the column")),
])  # fmt: skip
def test_a_paper_is_not_found_under_a_name_that_is_not_its_own(path: Path, value: str) -> None:
    """Neither without a name where another one is listed, nor with the name of another paper."""
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_paper(make_result("other", arxiv_id="1801.00001v1"))
    name = "1706.03762" if value.startswith("'") else "1801.00001"
    run(
        path,
        "DELETE FROM paper_revision WHERE arxiv_paper = '1706.03762'",
        f"UPDATE paper_revision SET arxiv_id = {value}, arxiv_paper = '{name}' WHERE arxiv_paper = '1801.00001'",
    )
    with HybridLibrary.open(path, embedder=None) as library:
        with pytest.raises(BrokenInvariant, match="not its own"):
            library.get_paper(name)
        assert "paper_altered" in {finding.code for finding in library.check().findings}
        library.rebuild()
        assert library.get_paper("1801.00001v1").source.arxiv_id == "1801.00001v1"
