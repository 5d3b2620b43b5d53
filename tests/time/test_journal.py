"""Every edit of the past leaves a row, and what is no edit of the past leaves none."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.database import sqlite_connection as connection_module
from hybridkb.errors import DatabaseBusy
from hybridkb.store.settings import change_settings
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder
from support.raw_rows import said


def journal(library: HybridLibrary) -> list[tuple[str, Any]]:
    """Kind and first affected instant of every row, oldest first."""
    with library._database.read() as connection:
        return [(row[0], row[1]) for row in connection.rows("audit/journal_kinds")]


def kinds(library: HybridLibrary) -> list[str]:
    return [kind for kind, _ in journal(library)]


def microseconds(moment: datetime) -> int:
    return int(moment.timestamp()) * 1_000_000


def test_an_ordinary_life_leaves_no_row(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=day(0)))
    library.put(note(1, "copper again", available_at=day(1)))
    library.delete(item_id(1))
    assert journal(library) == []


def test_a_withdrawal_into_the_past_leaves_a_row(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=day(0)))
    library.delete(item_id(1), at=day(3))
    assert journal(library) == [("withdrawal", microseconds(day(3)))]


def test_a_revision_before_a_withdrawal_leaves_a_row(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=day(0)))
    library.delete(item_id(1))
    assert library.put(note(1, "copper again", available_at=day(3))).revised == 1
    assert journal(library) == [("insertion", microseconds(day(3)))]


def test_vectors_of_a_library_of_words_leave_a_row_and_a_later_record_s_do_not(open_library: Any) -> None:
    with open_library(embedder=None) as words:
        words.put(note(1, "copper supply", available_at=day(0)))
    library = open_library()
    snapshot = library.snapshot(at=day(3))
    before = snapshot.search("copper"), snapshot.stats()
    library.put(note(2, "wheat", available_at=day(9)))
    assert journal(library) == []
    assert (snapshot.search("copper"), snapshot.stats(), snapshot.changed) == (*before, False)
    library.embed_pending()
    assert journal(library) == [("embedding", microseconds(day(0)))]
    assert snapshot.changed


def test_a_withdrawal_sooner_than_the_one_before_leaves_a_row(open_library: Any) -> None:
    library = open_library(clock=lambda: day(1))
    library.put(note(1, "copper", available_at=day(0)))
    library.delete(item_id(1), at=day(60))
    snapshot = library.snapshot(at=day(70))
    assert journal(library) == []
    library.delete(item_id(1), at=day(50))
    assert journal(library) == [("withdrawal", microseconds(day(50)))]
    assert snapshot.changed


def test_a_text_embedded_for_a_new_record_reaches_the_old_one(open_library: Any, embedder: HashEmbedder) -> None:
    library = open_library()
    library.put(note(1, "wheat", available_at=day(0)))
    embedder.fail_with = OSError("the service is down")
    library.put(note(2, "copper supply", available_at=day(2)))
    assert library.search("copper", mode="lexical", available_at_before=day(3))
    embedder.fail_with = None
    library.put(note(3, "copper supply", available_at=day(7)))
    found = library.search("copper supply", mode="semantic", available_at_before=day(3))
    assert (found.pending, str(found[0].item_id)) == (0, str(item_id(2)))
    assert journal(library) == [("embedding", microseconds(day(2)))]


def test_another_space_leaves_a_row(open_library: Any) -> None:
    with open_library() as library:
        library.put(note(1, "copper", available_at=day(0)))
    other = open_library(embedder=HashEmbedder(8, "other"))
    other.put(note(2, "wheat", available_at=day(5)))
    assert journal(other) == []  # it is being built and answers nothing yet
    other.embed_pending()
    assert journal(other) == [("space", microseconds(day(0)))]


def test_rebuild_names_the_past_only_when_it_changed_it(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=day(0)))
    library.rebuild()
    assert journal(library) == [("rebuild", None)]
    with library._database.write() as connection:
        connection.text_rows("UPDATE record SET projection_version = 0")  # as an older hybridkb made them
    library.rebuild()
    assert journal(library)[1:] == [("rebuild", microseconds(day(0)))]


@pytest.mark.parametrize(("shown", "affected"), [(True, day(0)), (False, None)])
def test_rebuild_names_the_past_when_vectors_go(library: HybridLibrary, shown: bool, affected: datetime | None) -> None:
    library.put(note("kept", "wheat", available_at=day(0)))
    library.put(note("gone", "copper", available_at=day(2)))
    with library._database.write() as connection:
        gone = "SELECT text_hash FROM record ORDER BY record_id DESC LIMIT 1"
        connection.text_rows(said(
            f"UPDATE embedding SET vector = x'0000' WHERE text_hash = ({gone})",
            f"UPDATE embedding SET vector = public.subvector(vector, 1, 1) WHERE text_hash = ({gone})",
        ))  # fmt: skip
    if not shown:
        library.put(note("gone", "zinc", available_at=day(2)))
    rows = len(journal(library))
    library.rebuild()
    assert journal(library)[rows:] == [("rebuild", None if affected is None else microseconds(affected))]
    assert library.stats().pending == int(shown)


def test_other_settings_leave_a_row(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=day(0)))
    with library._database.write() as connection:
        change_settings(connection, library.settings, now=microseconds(day(30)), why="tuned on the gold set of 2024")
    assert journal(library) == [("settings", microseconds(day(0)))]


@pytest.mark.sqlite_only("a server is vacuumed beside its readers")
def test_compact_says_when_a_reader_keeps_the_bytes(
    open_library: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "BUSY_MILLISECONDS", 200)
    library = open_library(embedder=None)
    library.put_many([note(1, "copper xyzzysecret"), note(2, "wheat")])
    with library._database.read() as reader:
        assert reader.value("upkeep/count_revisions") == 2
        library.purge(item_id(1))
        with pytest.raises(DatabaseBusy, match="compact again"):
            library.compact()
        assert reader.value("upkeep/count_revisions") == 2
    library.compact()
    assert not any(b"xyzzysecret" in file.read_bytes() for file in tmp_path.glob("library.db*"))
