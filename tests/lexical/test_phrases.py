"""A phrase is found wherever it stands, also where the word index could not keep every place."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest

from hybridkb import HybridLibrary
from hybridkb.database import read_ids
from hybridkb.knowledge import Note, SourceRef

DAY = datetime(2024, 1, 1, tzinfo=UTC)
FILLER = [f"w{number}x" for number in range(40_000)]


def note(number: int, body: str, title: str = "") -> Note:
    return Note(
        id=UUID(int=number), as_of=DAY, available_at=DAY, source=SourceRef(kind="manual"), title=title, body=body
    )


LONG = {
    1: ("beyond the place counted last", " ".join([*FILLER[:20_000], "cocoa", "futures", "rolled"])),
    2: ("behind many of its words", " ".join(["cocoa", "stocks"] * 300 + ["futures"] * 300 + ["cocoa", "futures"])),
    3: ("in more than a tsvector holds", " ".join([f"{'y' * 50}{n}" for n in range(20_000)]) + " cocoa futures"),
    4: ("never side by side", " ".join([*FILLER[:20_000], "futures", "and", "cocoa"])),
    5: ("in a short text", "cocoa futures"),
    6: ("by its stems", " ".join([*FILLER[:20_000], "cocoa", "future", "futures", "cocoa"])),
    7: ("written long, a word of fifty letters", " ".join(["z" * 60] * 16_000 + ["cocoa"] + ["futures"])),
}


@pytest.fixture(scope="module")
def long_texts(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HybridLibrary]:
    with HybridLibrary.open(tmp_path_factory.mktemp("long") / "library.db", embedder=None) as library:
        library.put_many(note(number, body, title) for number, (title, body) in LONG.items())
        yield library


def found(library: HybridLibrary, query: str) -> set[int]:
    return {hit.item_id.int for hit in library.search(query, mode="lexical", top_k=100)}


def test_a_phrase_is_found_in_texts_of_any_length(long_texts: HybridLibrary) -> None:
    assert found(long_texts, '"cocoa futures"') == {1, 2, 3, 5, 6, 7}


def test_a_longer_phrase_is_found_at_the_end(long_texts: HybridLibrary) -> None:
    assert found(long_texts, '"cocoa futures rolled"') == {1}


def test_a_phrase_that_is_excluded_is_left_out_in_texts_of_any_length(long_texts: HybridLibrary) -> None:
    assert found(long_texts, 'cocoa -"cocoa futures"') == {4}


def test_no_phrase_reaches_from_the_title_into_the_text(library: HybridLibrary) -> None:
    library.put_many([note(1, "futures " + " ".join(FILLER[:17_000]), "cocoa"), note(2, "cocoa", "futures")])
    assert not found(library, '"cocoa futures"')


def test_long_texts_pass_the_check(long_texts: HybridLibrary) -> None:
    report = long_texts.check()
    assert report.ok, report.findings


def test_the_engine_says_which_texts_it_could_not_keep_whole(long_texts: HybridLibrary, engine: str) -> None:
    with long_texts._database.read() as connection:
        doubts = read_ids(connection.value("lexical/phrase_doubts"))
    assert len(doubts) == (0 if engine == "sqlite" else 6)


def test_a_long_text_that_is_corrected_is_read_as_it_is_now(library: HybridLibrary) -> None:
    library.put(note(1, LONG[1][1]))
    library.put(note(1, LONG[1][1].replace("futures", "paste")))
    assert not found(library, '"cocoa futures"')
    assert found(library, '"cocoa paste rolled"') == {1}


def test_words_of_a_long_text_that_were_changed_are_named_and_mended(library: HybridLibrary, engine: str) -> None:
    if engine == "sqlite":
        pytest.skip("FTS5 keeps every text whole")
    library.put(note(1, LONG[1][1]))
    with library._database.write() as connection:
        connection.text_rows("UPDATE record_words SET body = 'cocoa:1'")
    assert {finding.code for finding in library.check().findings} == {"words_altered"}
    library.rebuild()
    assert library.check().ok
