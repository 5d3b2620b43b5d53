"""After a purge no row mentions the item or a word that only it held; after compact() no byte of the file does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import DatabaseBusy, NotFound
from hybridkb.lexical.layout import decode_posting, decode_terms
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder
from support.raw_rows import ask, dump, said, vocabulary

RARE = ("zanzibar", "quokka", "xylophon", "wombat", "KIWI", "oldword")
SHARED = "common words that stay"


def fill(library: HybridLibrary, *, packed: bool) -> None:
    library.put_many([note("stays", SHARED, tags=("kept",)), note("twin", "zebra")])
    nodes = {"n": "xylophone common", "m": SHARED}
    library.put(filing("goes", nodes, title="Zanzibar", root="quokka", tags=("wombat",)))
    library.put(filing("goes", {"n": "xylophone revised"}, title="Zanzibar", available_at=day(9), ticker="KIWI"))
    if packed:
        library.optimize()


@pytest.fixture(params=[False, True], ids=["waiting", "packed"])
def purged(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        fill(library, packed=request.param)
        library.purge(item_id("goes"), reason="asked for")
    return path


def mentions(path: Path, text: str) -> list[str]:
    return [
        name
        for name, rows in dump(path).items()
        if name != "record_words_data" and any(text.lower() in repr(row).lower() for row in rows)
    ]


def test_no_row_mentions_the_item_or_its_own_words(purged: Path) -> None:
    assert {text: mentions(purged, text) for text in RARE if mentions(purged, text)} == {}
    assert set(mentions(purged, str(item_id("goes")))) == {"tombstone", "journal"}
    assert vocabulary(purged) == ["common", "stai", "that", "word", "zebra"]  # by FTS5's own stemmer
    words = {word for (word,) in ask(purged, "SELECT word FROM term")}
    assert words == {"common", "words", "that", "stay", "zebra"}


def test_postings_and_columns_know_the_living_alone(purged: Path) -> None:
    living = {record_id for (record_id,) in ask(purged, "SELECT record_id FROM record")}
    assert len(living) == 2
    for segment_no, first, last, *columns in ask(purged, "SELECT * FROM segment"):
        held = set()
        for body, title in ask(purged, f"SELECT body, title FROM posting WHERE segment_no = {segment_no}"):
            for blob in (body, title):
                if blob:
                    held |= set((decode_posting(blob)[0].astype(int) + first).tolist())
        assert held == living
        digests = np.frombuffer(columns[-1], np.uint64)
        assert set((np.flatnonzero(digests) + first).tolist()) == living
        packed = f"SELECT embedding_ids, codes FROM vector_segment WHERE segment_no = {segment_no}"
        for ids, codes in ask(purged, packed):
            assert set((np.flatnonzero(np.frombuffer(ids, np.int64)) + first).tolist()) == living
            assert set((np.flatnonzero(np.frombuffer(codes, np.uint64)) + first).tolist()) <= living
        assert last >= max(living)
    terms = {term for (term,) in ask(purged, "SELECT term_id FROM term")}
    for record_id, blob in ask(purged, "SELECT * FROM record_terms"):
        assert record_id in living
        assert set(decode_terms([blob])[0].tolist()) <= terms
    tables = ask(purged, said("SELECT rowid FROM record_vector_1_rowids", "SELECT record_id FROM record"))
    assert {row[0] for row in tables} == living


def test_the_vectors_of_its_texts_are_gone_and_a_shared_one_stays(purged: Path) -> None:
    hashes = said("SELECT hex(text_hash) FROM", "SELECT encode(text_hash, 'hex') FROM")
    assert sorted(ask(purged, f"{hashes} embedding")) == sorted(ask(purged, f"{hashes} record"))


def test_the_others_are_found_as_before(purged: Path) -> None:
    with HybridLibrary.open(purged, embedder=HashEmbedder(16)) as library:
        assert [hit.item_id for hit in library.search("common words", mode="lexical")] == [item_id("stays")]
        assert [hit.item_id for hit in library.search(SHARED, mode="semantic", top_k=1)] == [item_id("stays")]
        assert library.check().ok
        with pytest.raises(Exception, match="asked for"):
            library.get(item_id("goes"))


@pytest.mark.sqlite_only("reads the bytes of the file")
def test_no_byte_of_it_is_left_after_compact(purged: Path) -> None:
    with HybridLibrary.open(purged, embedder=None) as library:
        library.compact()
        assert library.check().ok
        left = b"".join(entry.read_bytes() for entry in purged.parent.iterdir()).lower()
    assert [text for text in RARE if text.lower().encode() in left] == []
    assert b"common" in left


@pytest.mark.parametrize("packed", [False, True], ids=["waiting", "packed"])
@pytest.mark.parametrize("available", [day(0), None], ids=["known", "unknown"])
def test_words_and_vectors_of_a_replaced_text_go_with_the_item(
    tmp_path: Path, packed: bool, available: datetime | None
) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        library.put_many([note("stays", SHARED), note("goes", "oldword wombat", available_at=available)])
        if packed:
            library.optimize()
        library.put(note("goes", "another zanzibar", available_at=available))
        library.purge(item_id("goes"))
        assert ask(path, "SELECT count(*) FROM embedding") == [(1,)]
        assert {text: mentions(path, text) for text in RARE if mentions(path, text)} == {}
        for ids, codes in ask(path, "SELECT embedding_ids, codes FROM vector_segment"):
            assert np.count_nonzero(np.frombuffer(ids, np.int64)) == 1
            assert np.count_nonzero(np.frombuffer(codes, np.uint64)) <= 1
        assert library.check().ok
        library.compact()
        assert {text: mentions(path, text) for text in RARE if mentions(path, text)} == {}
        assert [hit.item_id for hit in library.search("common", mode="lexical")] == [item_id("stays")]
        assert library.check().ok
    left = b"".join(entry.read_bytes() for entry in tmp_path.iterdir()).lower()
    assert [text for text in RARE if text.lower().encode() in left] == []


Step = Callable[[HybridLibrary], object]
LIVES: dict[str, tuple[Step, ...]] = {
    "unknown, left altogether, then known": (
        lambda library: library.put(note("goes", "oldword wombat", available_at=None)),
        lambda library: library.optimize(),
        lambda library: library.delete(item_id("goes")),
        lambda library: library.put(note("goes", "zanzibar")),
    ),
    "left altogether, packed again": (
        lambda library: library.put(note("goes", "oldword wombat", available_at=None)),
        lambda library: library.optimize(),
        lambda library: library.delete(item_id("goes")),
        lambda library: library.optimize(),
        lambda library: library.put(note("goes", "zanzibar", available_at=None)),
    ),
    "unknown becomes known": (
        lambda library: library.put(note("goes", "oldword wombat", available_at=None)),
        lambda library: library.optimize(),
        lambda library: library.put(note("goes", "zanzibar")),
        lambda library: library.optimize(),
    ),
    "corrected, withdrawn, again": (
        lambda library: library.put(note("goes", "oldword wombat")),
        lambda library: library.optimize(),
        lambda library: library.put(note("goes", "quokka")),
        lambda library: library.delete(item_id("goes"), at=day(3)),
        lambda library: library.optimize(),
        lambda library: library.put(note("goes", "zanzibar", available_at=day(5))),
    ),
}


@pytest.mark.parametrize("steps", LIVES.values(), ids=LIVES)
def test_nothing_is_left_of_a_purged_item_whatever_happened_before(tmp_path: Path, steps: tuple[Step, ...]) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        library.put(note("stays", SHARED))
        for step in steps:
            step(library)
        library.purge(item_id("goes"))
        assert {text: mentions(path, text) for text in RARE if mentions(path, text)} == {}
        assert {word for (word,) in ask(path, "SELECT word FROM term")} == set(SHARED.split())
        for segment_no, first in ask(path, "SELECT segment_no, first_record FROM segment"):
            for (body,) in ask(path, f"SELECT body FROM posting WHERE segment_no = {segment_no}"):
                assert (decode_posting(body)[0].astype(int) + first).tolist() == [1]
        assert ask(path, "SELECT count(*) FROM embedding") == [(1,)]
        assert library.check().ok


def test_what_left_altogether_is_not_found_by_purge_and_leaves_with_compact(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        library.put_many([note("stays", SHARED), note("goes", "oldword wombat", available_at=None)])
        library.optimize()
        library.delete(item_id("goes"))
        with pytest.raises(NotFound):
            library.purge(item_id("goes"))
        library.compact()
        assert library.check().ok
    left = b"".join(entry.read_bytes() for entry in tmp_path.iterdir()).lower()
    assert [text for text in RARE if text.lower().encode() in left] == []
    assert ask(path, "SELECT count(*) FROM embedding") == [(1,)]


def test_open_libraries_forget_it_too(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with (
        HybridLibrary.open(path, embedder=HashEmbedder(16)) as library,
        HybridLibrary.open(path, embedder=HashEmbedder(16)) as reader,
    ):
        fill(library, packed=True)
        assert len(reader.search("zanzibar", mode="lexical")) == 1
        library.purge(item_id("goes"))
        assert not reader.search("zanzibar OR quokka OR xylophone", mode="lexical")
        assert {hit.item_id for hit in reader.search(SHARED)} == {item_id("stays"), item_id("twin")}
        library.compact()
        assert {hit.item_id for hit in reader.search(SHARED)} == {item_id("stays"), item_id("twin")}


@pytest.mark.sqlite_only("a server is vacuumed beside its readers")
def test_compact_beside_a_reader_says_that_the_bytes_are_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hybridkb.database import sqlite_connection as connection_module

    monkeypatch.setattr(connection_module, "BUSY_MILLISECONDS", 50)
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        fill(library, packed=True)
        lines = library.export()
        next(lines)  # a reader stands in the middle of the old state
        library.purge(item_id("goes"))
        with pytest.raises(DatabaseBusy, match="compact again"):
            library.compact()
        lines.close()  # type: ignore[attr-defined]
        library.compact()
        assert library.check().ok


@pytest.mark.sqlite_only("about the tables of sqlite-vec")
def test_a_sqlite_vec_table_survives_compact_after_its_first_chunks_are_gone(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=HashEmbedder(8)) as library:
        library.put_many(note(number, f"text {number}", available_at=None) for number in range(2100))
        for number in range(1100):  # more than one chunk of 1,024 rows
            library.delete(item_id(number))
        wanted: list[Any] = [(hit.item_id, hit.score) for hit in library.search("text 1500", mode="semantic")]
        library.compact()
        assert library.check().ok
        assert [(hit.item_id, hit.score) for hit in library.search("text 1500", mode="semantic")] == wanted
        assert wanted[0][0] == item_id(1500)
