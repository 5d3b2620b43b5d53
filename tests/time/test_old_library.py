"""A library made before there were snapshots and an audit (``files/make_library.py``) opens, audits and answers."""

from __future__ import annotations

import gzip
import runpy
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import NotFound
from hybridkb.knowledge import stable_id
from hybridkb.snapshot import Snapshot

FILES = Path(__file__).parent / "files"
MADE = runpy.run_path(str(FILES / "make_library.py"), run_name="old")
day, note, TinyEmbedder = MADE["day"], MADE["note"], MADE["TinyEmbedder"]


pytestmark = pytest.mark.sqlite_only("opens a file of an older format")


def old(name: str) -> Any:
    return stable_id("old", name)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    copy = tmp_path / "old.db"
    copy.write_bytes(gzip.decompress((FILES / "before_audit.db.gz").read_bytes()))
    with HybridLibrary.open(copy, embedder=None) as library:
        # Digests have another rule since: check() hears it, rebuild() mends it, nothing canonical is touched.
        assert {finding.code for finding in library.check().findings} == {"record_altered"}
        library.rebuild()
    return copy


@pytest.mark.parametrize("read_only", [False, True])
def test_it_audits(path: Path, read_only: bool) -> None:
    with HybridLibrary.open(path, embedder=None, read_only=read_only) as library:
        assert library.check().ok
        report = library.audit(cutoffs=[day(2)])
    assert {finding.kind: (finding.severity, finding.count) for finding in report.findings} == {
        "available_before_publication": ("severe", 1),
        "as_of_after_available": ("severe", 1),
        "written_by_newer_model": ("severe", 1),
        "unknown_availability": ("note", 1),
        "back_filled": ("note", 8),
        "purge": ("note", 1),
        "edit_of_the_past": ("note", 2),
        "unknown_embedding_model": ("note", 1),
    }
    edits = report.finding("edit_of_the_past")
    assert edits is not None
    assert edits.groups == {"edit": {"correction": 1, "withdrawal": 1}}


def test_it_answers(path: Path) -> None:
    with HybridLibrary.open(path, embedder=TinyEmbedder(), clock=lambda: day(30)) as library:
        snapshot = library.snapshot(at=day(5))
        for mode in ("lexical", "hybrid"):
            found = {hit.matched_text for hit in snapshot.search("copper", mode=mode, top_k=20)}
            assert found >= {f"copper {word}" for word in ("supply corrected", "demand", "summary", "gone", "risk")}
            assert not found & {"copper demand falls", "copper early", "copper unknown", "copper erased"}
        assert [revision.available_at for revision in snapshot.history(old("revised"))] == [day(1)]
        assert snapshot.get(old("gone"))
        with pytest.raises(NotFound):
            library.snapshot(at=day(7)).get(old("gone"))
        assert not snapshot.changed
        library.put(note("new", "copper", day(29)))
        assert not snapshot.changed
        library.put(note("late", "copper", day(4)))
        assert snapshot.changed
        assert not library.audit(since=day(25)).ok


def test_a_fresh_library_of_the_same_items_answers_the_same(path: Path, tmp_path: Path) -> None:
    """With the old one's settings, which stay in its file whatever the defaults are today."""
    with HybridLibrary.open(path, embedder=TinyEmbedder()) as library:
        fresh = HybridLibrary.open(
            tmp_path / "fresh.db", embedder=TinyEmbedder(), clock=lambda: day(20), settings=library.settings
        )
        with fresh:
            MADE["fill"](fresh)
            for number in range(9):
                one, other = library.snapshot(at=day(number)), fresh.snapshot(at=day(number))
                assert one.fingerprint == other.fingerprint
                assert answers(one) == answers(other)


def answers(snapshot: Snapshot) -> list[tuple[str, float, str]]:
    return [(str(hit.locator), hit.score, hit.matched_text) for hit in snapshot.search("copper risk", top_k=20)]
