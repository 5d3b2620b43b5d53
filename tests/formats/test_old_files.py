"""Files that released versions wrote open in every later one, whole, with the same knowledge and answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.database.migrations import SCHEMA_VERSION
from hybridkb.database.statements import migration_versions
from hybridkb.errors import NotFound
from hybridkb.knowledge import Note
from oracles.items import day, item_id
from support.fake_embedder import HashEmbedder
from support.papers import PAGES, make_result

FOLDER = Path(__file__).parent
PAPERS = (5, 3)
"""Items and visible records of the paper that files have held since version 4."""
OLD = sorted(FOLDER.glob("schema-*.db"), key=lambda path: int(path.stem.partition("-")[2]))


@pytest.fixture(params=OLD, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    target = tmp_path / "library.db"
    shutil.copy(request.param, target)
    return target


def path_holds_papers(library: HybridLibrary) -> bool:
    return bool(library.count(artifact_kinds=["paper_summary"]).passing)


def titles(found: Any) -> list[str]:
    return [hit.title for hit in found]


def test_every_schema_has_a_file_and_a_script() -> None:
    assert [path.stem for path in OLD] == [f"schema-{version}" for version in migration_versions("sqlite")]
    assert OLD[-1].stem == f"schema-{SCHEMA_VERSION}"
    for path in OLD:
        assert (FOLDER / f"make_{path.stem.replace('-', '_')}.py").is_file()


def test_an_old_file_opens_whole(path: Path) -> None:
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        report = library.check()
        assert report.ok, report.findings
        stats = library.stats()
        items, records = PAPERS if path_holds_papers(library) else (0, 0)
        assert (stats.items, stats.revisions, stats.visible_records) == (7 + items, 8 + items, 8 + records)
        assert stats.schema_version == SCHEMA_VERSION
        assert [(space.model, space.state) for space in stats.spaces] == [("fake", "serving"), ("newer", "building")]
        assert stats.unpacked > 0


def test_an_old_file_keeps_what_was_put(path: Path) -> None:
    with HybridLibrary.open(path, embedder=None) as library:
        now, then = library.get(item_id(1)), library.get(item_id(1), at=day(9))
        assert isinstance(now, Note)
        assert isinstance(then, Note)
        assert (now.body, then.body) == ("Supply gap closes.", "Supply gap widens.")
        with pytest.raises(NotFound, match="withdrawn"):
            library.get(item_id(3))
        with pytest.raises(NotFound, match="put by mistake"):
            library.get(item_id(4))


def test_an_old_file_answers_now_and_then(path: Path) -> None:
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        assert titles(library.search("supply gap closes"))[0] == "Copper"
        assert titles(library.search("brk.b", mode="lexical")) == ["BRK.B 2024Q1 earnings"]
        assert titles(library.search("wheat harvest", mode="lexical")) == []
        assert titles(library.search("wheat harvest", mode="lexical", available_at_before=day(19))) == ["Wheat"]
        found = library.search("rates may rise", mode="semantic")
        assert found[0].matched_text.endswith("Rates may rise.")
        assert found.pending == 2


def test_an_old_file_takes_what_is_new(path: Path) -> None:
    embedder = HashEmbedder(8)
    with HybridLibrary.open(path, embedder=embedder) as library:
        library.rebuild()
        assert embedder.document_calls == 0
        report = library.embed_pending()
        assert (report.embedded, report.pending) == (2, 0)
        library.put(Note(**{**library.get(item_id(1)).model_dump(exclude={"item_type"}), "available_at": day(50)}))
        assert len(library.history(item_id(1))) == 3
        assert library.check().ok


def test_an_old_file_takes_a_folder(path: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/margin.md").write_text("# Margin\n\nTwelve percent.\n")
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        assert library.sync(tmp_path / "docs").indexed == 1
        assert library.sync(tmp_path / "docs").unchanged == 1
        assert [hit.path for hit in library.search("twelve percent", mode="lexical")] == ["margin.md"]
        assert library.check().ok


def test_an_old_file_takes_a_paper(path: Path) -> None:
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        library.put_paper(make_result("another", arxiv_id="2101.00001v1"))
        assert library.search("multi-head attention", artifact_kinds=["paper_chunk_set"], mode="lexical")
        assert library.get_paper("2101.00001").source.title == "Attention in Tests"
        assert library.check().ok


def test_a_paper_of_an_old_file_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "library.db"
    shutil.copy(FOLDER / "schema-4.db", target)
    embedder = HashEmbedder(8)
    with HybridLibrary.open(target, embedder=embedder) as library:
        paper = library.get_paper("1706.03762")
        assert [(one.kind, one.current, one.members) for one in paper.artifacts] == [
            ("paper_chunk_set", True, 2), ("paper_chunk_set", False, 4), ("paper_summary", True, 1),
            ("paper_summary", False, 1),
        ]  # fmt: skip
        assert all(library.get_blob(name) for name in paper.source.blobs)
        again = make_result(
            "1706.03762v7", PAGES[:2], available_at=day(3), arxiv_id="1706.03762v7", blocks_per_chunk=1, tree=False,
            title="Attention in old files",
        )  # fmt: skip
        report = library.put_paper(again)
        assert [(one.effect, one.current) for one in report.artifacts] == [("unchanged", False), ("unchanged", False)]
        assert embedder.document_calls == 0
