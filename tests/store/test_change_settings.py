"""Ranking and fusion may be changed while the library is in use; the audit says that answers may differ."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hybridkb import AsyncHybridLibrary, HybridLibrary
from hybridkb.errors import InvalidInput
from hybridkb.fusion import Fusion
from hybridkb.lexical.ranking import RankingSettings
from oracles.items import day, note
from support.fake_embedder import HashEmbedder

CONVEX = Fusion("convex", alpha=0.75)


def test_other_processes_rank_by_the_new_settings_at_once(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with (
        HybridLibrary.open(path, embedder=HashEmbedder(8)) as writer,
        HybridLibrary.open(path, embedder=HashEmbedder(8), read_only=True) as reader,
    ):
        writer.put_many([note(number, f"copper {'ore ' * number}") for number in range(5)])
        before = reader.search("copper ore")
        wished = writer.change_settings(fusion=CONVEX, why="tried by hand")
        assert (wished.fusion, wished.ranking) == (CONVEX, RankingSettings())
        assert writer.settings == reader.settings == wished
        after = reader.search("copper ore")
        assert after.fingerprint != before.fingerprint
        given = reader.search("copper ore", fusion=CONVEX)
        assert [(hit.locator, hit.score) for hit in after] == [(hit.locator, hit.score) for hit in given]


def test_ranking_alone_leaves_the_fusion(tmp_path: Path) -> None:
    ranking = RankingSettings(k1=0.9, b=0.5)
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        library.change_settings(fusion=CONVEX, why="first")
        assert library.change_settings(ranking=ranking, why="second").fusion == CONVEX
        assert library.settings.ranking == ranking


def test_the_audit_lists_the_change_and_its_reason(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        library.put(note(1, "copper", available_at=day(1)))
        library.change_settings(fusion=CONVEX, why="tuned on gold set 0123")
        (finding,) = [one for one in library.audit(cutoffs=[day(5)]).findings if "settings" in one.kind]
        assert "tuned on gold set 0123" in str(finding.examples)


def test_the_same_settings_again_leave_no_row(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        library.change_settings(fusion=CONVEX, why="once")
        before = library.stats().generation
        library.change_settings(fusion=CONVEX, why="twice")
        assert library.stats().generation == before


@pytest.mark.parametrize("arguments", [{"why": "nothing"}, {"fusion": CONVEX, "why": " "}])
def test_nothing_to_change_or_no_reason_is_refused(tmp_path: Path, arguments: dict[str, object]) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library, pytest.raises(InvalidInput):
        library.change_settings(**arguments)  # type: ignore[arg-type]


def test_the_async_library_changes_them_too(tmp_path: Path) -> None:
    async def change() -> Fusion:
        async with await AsyncHybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
            return (await library.change_settings(fusion=CONVEX, why="tried")).fusion

    assert asyncio.run(change()) == CONVEX


@pytest.mark.parametrize(
    "wrong",
    [
        {"fusion": "convex"}, {"fusion": {"method": "convex"}}, {"fusion": 5}, {"fusion": 0}, {"ranking": {"k1": 1.0}},
        {"ranking": Fusion()}, {"fusion": Fusion(), "why": 3},
    ],
)  # fmt: skip
def test_what_are_no_settings_is_refused_and_the_file_stays_readable(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        library.put(note(1, "copper"))
        before = library.settings
        with pytest.raises(InvalidInput):
            library.change_settings(**{"why": "tried by hand", **wrong})
        assert library.settings == before
        assert len(library.search("copper")) == 1
