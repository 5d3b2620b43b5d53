"""Writing: nothing twice, nothing half, nothing left behind."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary, Locator
from hybridkb.errors import EmbedderError, InvalidInput, NotFound, UnregisteredType
from hybridkb.knowledge import FlatKnowledge, SourceRef
from oracles.items import EPOCH, day, filing, item_id, news, note
from support.fake_embedder import HashEmbedder
from support.raw_rows import dump, vocabulary

DERIVED = ("record", "record_facet", "record_words", "term", "posting", "embedding", "record_terms")


def rows(path: Path) -> dict[str, list[str]]:
    """Every row of every ordinary table, by table."""
    return {name: [repr(row) for row in content] for name, content in dump(path).items()}


PURGED_TEXTS = ("xylophon", "Zanzibar", "zanzibar", "quokka", "wombat", "KIWI")


def bytes_with(path: Path, text: str) -> list[str]:
    """Tables in which a text still stands."""
    return [name for name, content in rows(path).items() if any(text in row for row in content)]


# Nothing twice


def test_putting_the_same_again_writes_nothing_and_embeds_nothing(
    library: HybridLibrary, embedder: HashEmbedder, tmp_path: Path
) -> None:
    items = [note(1, "copper"), note(2, "unknown", available_at=None), filing("f", ["one", "two"], root="root")]
    library.put_many(items)
    before, calls = rows(tmp_path / "library.db"), embedder.document_calls
    report = library.put_many(items)
    assert (report.unchanged, report.added, report.records, report.embedded) == (3, 0, 0, 0)
    again = library.put(items[0].model_copy(update={"created_at": day(100)}))
    assert again.unchanged == 1
    assert rows(tmp_path / "library.db") == before
    assert embedder.document_calls == calls


def test_one_changed_node_embeds_one_text(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put(filing("f", ["first section", "second section", "third section"], root="root"))
    del embedder.document_texts[:]
    report = library.put(filing("f", ["first section", "another section", "third section"], root="root"))
    assert report.corrected == 1
    assert report.embedded == 1
    assert embedder.document_texts == ["another section"]


def test_moving_deleting_and_adding_again_embeds_nothing(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put_many([note(1, "copper supply"), note(2, "wheat")])
    calls = embedder.document_calls
    library.delete(item_id(1), at=day(5))
    library.put(note(1, "copper supply", available_at=day(10)))
    library.put(note("renamed", "copper supply"))
    library.put(news("moved", "wheat"))
    assert embedder.document_calls == calls
    assert len(library.search("wheat copper", mode="semantic")) == 4


def test_equal_texts_of_a_batch_are_embedded_once(library: HybridLibrary, embedder: HashEmbedder) -> None:
    report = library.put_many(note(name, "the same text") for name in range(50))
    assert report.embedded == 1
    assert embedder.document_texts == ["the same text"]


def test_metadata_alone_changes_filters_and_embeds_nothing(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put(note(1, "copper"))
    report = library.put(note(1, "copper", tags=("metal",)))
    assert (report.corrected, report.embedded) == (1, 0)
    assert len(library.search("copper", tags=["metal"])) == 1
    assert len(embedder.document_texts) == 1


# Nothing left behind


@pytest.mark.parametrize("packed", [False, True], ids=["", "packed"])
def test_purge_removes_every_derived_row(library: HybridLibrary, tmp_path: Path, packed: bool) -> None:
    library.put(note("stays", "common words"))
    empty = {name: len(content) for name, content in rows(tmp_path / "library.db").items()}
    library.put(filing("goes", {"n": "xylophone common"}, title="Zanzibar", root="quokka", tags=("wombat",)))
    library.put(filing("goes", {"n": "xylophone revised"}, title="Zanzibar", available_at=day(9), ticker="KIWI"))
    if packed:
        library.optimize()
    library.purge(item_id("goes"))
    with pytest.raises(NotFound):
        library.get(item_id("goes"))
    for text in PURGED_TEXTS:
        assert set(bytes_with(tmp_path / "library.db", text)) <= {"record_words_data"}  # FTS5's segments, until merged
        assert not library.search(text, mode="lexical")
    assert vocabulary(tmp_path / "library.db") == ["common", "word"]
    now = {name: len(content) for name, content in rows(tmp_path / "library.db").items()}
    for table in DERIVED:
        if table in empty and not packed:
            assert now[table] == empty[table], table
    assert now["tombstone"] == empty["tombstone"] + 1
    assert [hit.item_id for hit in library.search("common words zanzibar", mode="hybrid")] == [item_id("stays")]
    assert library.check().ok
    library.compact()
    library.close()
    left = b"".join(path.read_bytes() for path in tmp_path.glob("library.db*"))
    assert [text for text in PURGED_TEXTS if text.encode() in left] == []


@pytest.mark.parametrize("packed", [False, True], ids=["", "packed"])
def test_a_purge_also_erases_what_a_correction_replaced(library: HybridLibrary, tmp_path: Path, packed: bool) -> None:
    library.put_many([note(1, "common"), note(2, "xylophone")])
    if packed:
        library.optimize()
    library.put(note(2, "corrected"))
    library.purge(item_id(2))
    assert set(bytes_with(tmp_path / "library.db", "xylophon")) <= {"record_words_data"}
    assert vocabulary(tmp_path / "library.db") == ["common"]
    library.compact()
    assert bytes_with(tmp_path / "library.db", "xylophon") == []
    assert len(rows(tmp_path / "library.db")["embedding"]) == 1


def test_purged_vectors_are_gone_unless_another_needs_them(
    library: HybridLibrary, embedder: HashEmbedder, tmp_path: Path
) -> None:
    library.put_many([note(1, "only here"), note(2, "shared text"), note(3, "shared text")])
    library.purge(item_id(1))
    library.purge(item_id(2))
    assert len(rows(tmp_path / "library.db")["embedding"]) == 1
    assert [hit.item_id for hit in library.search("shared", mode="semantic")] == [item_id(3)]
    library.put(note(1, "only here"))
    assert embedder.document_texts.count("only here") == 2


def test_a_purge_is_told_by_the_library(library: HybridLibrary) -> None:
    library.put(note(1, "copper"))
    before = library.search("wheat", available_at_before=day(1)).fingerprint
    library.purge(item_id(1))
    assert library.search("wheat", available_at_before=day(1)).fingerprint != before
    library.put(note(1, "copper"))


@pytest.mark.parametrize("mode", ["lexical", "semantic", "hybrid"])
def test_delete_leaves_nothing_now_and_everything_then(library: HybridLibrary, mode: str) -> None:
    library.put_many([filing("f", ["copper one", "copper two"], root="copper"), note(1, "copper")])
    library.delete(item_id("f"), at=day(5))
    assert {hit.item_id for hit in library.search("copper", mode=mode)} == {item_id(1)}
    assert len(library.search("copper", mode=mode, available_at_before=day(4))) == 4
    assert len(library.search("copper", mode=mode, available_at_before=day(5))) == 1


# Batches


def test_a_batch_reports_what_became_of_each(library: HybridLibrary) -> None:
    library.put_many([note(1, "a"), note(2, "b"), note(3, "c", available_at=None)])
    report = library.put_many(
        [
            note(1, "a"),
            note(2, "b later", available_at=day(3)),
            note(2, "b earlier", available_at=day(-3)),
            note(3, "c known"),
            note(4, "d"),
            note(4, "d later", available_at=day(2)),
        ]
    )
    counts = (report.added, report.revised, report.inserted, report.corrected, report.unchanged)
    assert counts == (1, 2, 1, 1, 1)
    assert [len(library.history(item_id(name))) for name in (1, 2, 3, 4)] == [1, 3, 1, 2]


def test_batches_of_a_thousand_are_each_whole(library: HybridLibrary) -> None:
    def stream() -> Any:
        for name in range(2_500):
            yield note(name, f"text {name}")
        yield "not an item"
        yield note("after", "never reached")

    with pytest.raises(InvalidInput):
        library.put_many(stream())
    assert library.get(item_id(1_999))
    for absent in (2_000, 2_499, "after"):
        with pytest.raises(NotFound):
            library.get(item_id(absent))


def test_progress_is_told(library: HybridLibrary) -> None:
    told: list[tuple[int, int | None]] = []
    library.put_many(
        [note(name, "x") for name in range(1_200)], progress=lambda done, total: told.append((done, total))
    )
    assert told
    assert told[-1][0] == 1_200
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_skip_lists_the_bad_and_keeps_the_good(library: HybridLibrary) -> None:
    library.put(note("typed", "x"))
    bad_type = news("typed", "x")
    report = library.put_many([note(1, "a"), "rubbish", bad_type, note(2, "   "), note(3, "c")], on_error="skip")
    assert report.added == 2
    assert sorted(skipped.position for skipped in report.skipped) == [1, 2, 3]
    assert all(skipped.reason for skipped in report.skipped)
    assert library.get(item_id(1))
    assert library.get(item_id(3))
    assert library.get(item_id("typed")).item_type == "note"


def test_a_batch_that_contradicts_itself_is_refused_whole(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput):
        library.put_many([note(0, "first"), note(1, "one thing"), note(1, "another thing")])
    for name in (0, 1):
        with pytest.raises(NotFound):
            library.get(item_id(name))
    library.put_many([note(1, "one thing"), note(1, "one thing")])
    assert len(library.history(item_id(1))) == 1


def test_an_unknown_on_error_is_refused(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput):
        library.put_many([note(1, "a")], on_error="ignore")


# Bad input leaves nothing


class Unregistered(FlatKnowledge):
    item_type: str = "unregistered"
    words: str


def test_an_unregistered_type_is_refused_before_anything_is_done(
    library: HybridLibrary, embedder: HashEmbedder, tmp_path: Path
) -> None:
    before = rows(tmp_path / "library.db")
    bad = Unregistered(id=item_id(2), as_of=EPOCH, source=SourceRef(kind="manual"), words="x")
    with pytest.raises(UnregisteredType):
        library.put_many([note(1, "good"), bad])
    assert rows(tmp_path / "library.db") == before
    assert embedder.document_texts == []


@pytest.mark.parametrize("bad", [None, "text", {"id": 1}, 5, [note(1, "x")]], ids=repr)
def test_what_is_no_item_is_refused(library: HybridLibrary, tmp_path: Path, bad: Any) -> None:
    before = rows(tmp_path / "library.db")
    with pytest.raises(InvalidInput):
        library.put(bad)
    assert rows(tmp_path / "library.db") == before


@pytest.mark.parametrize(
    "fields",
    [{"available_at": datetime(2024, 1, 1)}, {"as_of": datetime(2024, 1, 1)}, {"body": "lone \ud800 surrogate"}],
    ids=["naive available_at", "naive as_of", "surrogate"],
)
def test_an_item_that_cannot_be_is_never_made(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        note(1, **({"body": "x"} | fields))


def test_text_without_words_is_refused(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput):
        library.put(note(1, "  \n "))


def test_a_put_that_requires_embeddings_fails_whole(
    library: HybridLibrary, embedder: HashEmbedder, tmp_path: Path
) -> None:
    library.put(note(0, "before"))
    before = rows(tmp_path / "library.db")
    embedder.fail_with = ConnectionError("down")
    with pytest.raises(EmbedderError):
        library.put(note(1, "copper"), require_embeddings=True)
    assert rows(tmp_path / "library.db") == before
    report = library.put(note(1, "copper"))
    assert (report.added, report.pending) == (1, 1)
    assert report.degraded
    assert [hit.item_id for hit in library.search("copper", mode="lexical")] == [item_id(1)]


def test_a_read_only_library_refuses_to_write_and_answers(open_library: Any) -> None:
    open_library().put(note(1, "copper"))
    reader = open_library(read_only=True)
    assert [hit.item_id for hit in reader.search("copper")] == [item_id(1)]
    for write in (
        lambda: reader.put(note(2, "x")),
        lambda: reader.delete(item_id(1)),
        lambda: reader.purge(item_id(1)),
    ):
        with pytest.raises(Exception, match=r"read.only"):
            write()


def test_a_rebuild_keeps_answers_and_what_was_put(
    library: HybridLibrary, embedder: HashEmbedder, tmp_path: Path
) -> None:
    library.put_many([note(1, "copper", "Metals"), filing("f", ["copper one", "two"], root="r", ticker="FCX")])
    library.put(note(1, "copper again", available_at=day(5)))
    library.delete(item_id("f"), at=day(9))
    questions = [("copper", None), ("copper", day(2)), ("copper two", day(6))]

    def answers() -> list[Any]:
        return [list(library.search(text, available_at_before=cutoff)) for text, cutoff in questions]

    before, calls = answers(), embedder.document_calls
    tables = rows(tmp_path / "library.db")
    library.rebuild()
    assert answers() == before
    assert embedder.document_calls == calls
    for table in ("item", "revision", "withdrawal", "tombstone"):
        assert rows(tmp_path / "library.db")[table] == tables[table]


def test_resolve_follows_time(library: HybridLibrary) -> None:
    library.put_many([note(1, "old"), note(1, "new", available_at=day(5))])
    locator = Locator("item", item_id(1))
    assert library.resolve(locator, at=day(1)).body == "old"
    assert library.resolve(locator).body == "new"
    with pytest.raises(NotFound):
        library.resolve(locator, at=day(-1))
    library.put(filing("f", ["x"]))
    with pytest.raises(NotFound):
        library.resolve(Locator("item", item_id("f"), "no node"))
