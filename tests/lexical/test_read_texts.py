"""Texts kept as numbers say the same as texts read anew, whatever was read before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.lexical import read_texts
from hybridkb.lexical.closeness import REACH, closeness
from hybridkb.lexical.read_texts import FIELD_CHARACTERS, Matches, ReadTexts
from hybridkb.text import Analyser, SnippetMaker, shared_analyser
from hybridkb.text.snippet import make_snippet

ENGLISH = shared_analyser("english")
PLAIN = ("copper", "Copper-based", "10-K", "BRK.B", "the", "铜价上涨", "naïve", "rates,", "ﬁne", "x" * 80)
WORDS = st.sampled_from(PLAIN)
FIELD = st.lists(WORDS, max_size=30).map(" \t".join)


def words_of(title: str, body: str) -> list[str]:
    return ENGLISH.words(title) + ENGLISH.words(body)


SOUGHT = st.sets(st.sampled_from(["copper", "10-k", "k", "铜价", "the"]))


@given(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=5), SOUGHT)
def test_matches_are_the_words_that_stand_there(fields: list[tuple[str, str]], sought: set[str]) -> None:
    units = {word: 1 << place for place, word in enumerate(sorted(sought))}
    reader = ReadTexts().reader(ENGLISH)
    texts = [reader.read(number, *both) for number, both in enumerate(fields)]
    for (title, body), text, matches in zip(fields, texts, reader.matches(texts, units), strict=True):
        words = words_of(title, body)
        there = [(place, units[word]) for place, word in enumerate(words) if word in units]
        assert list(zip(matches.places, matches.units, strict=True)) == there
        assert text.title_words == len(ENGLISH.words(title))
        chunks = f"{title}\n\n{body}".split()
        assert all(words[place] in ENGLISH.words(chunks[text.chunks[place]]) for place in range(len(words)))


@given(FIELD, FIELD, st.sets(st.sampled_from(["copper", "10-k", "based", "铜价", "价上"]), min_size=1))
def test_a_snippet_from_known_places_is_the_snippet(title: str, body: str, sought: set[str]) -> None:
    text = title + "\n\n" + body
    reader = ReadTexts().reader(ENGLISH)
    read = reader.read(1, title, body)
    (matches,) = reader.matches([read], dict.fromkeys(sought, 1))
    held = dict.fromkeys(read.chunks[matches.places].tolist())
    for width in (20, 240):
        maker = SnippetMaker(sought.__contains__, ENGLISH, width=width)
        assert maker.cut(text, held=held) == make_snippet(text, sought.__contains__, ENGLISH, width=width)


def test_a_text_is_read_once_and_kept_for_later_queries() -> None:
    texts = ReadTexts()
    first = texts.reader(ENGLISH)
    assert first.known(7) is None
    read = first.read(7, "Copper", "rises")
    assert texts.reader(ENGLISH).known(7) is read
    assert texts.reader(ENGLISH).read(7, "nobody", "looks at this") is read


def test_only_so_many_bytes_are_kept() -> None:
    texts = ReadTexts(most_bytes=3_000)
    reader = texts.reader(ENGLISH)
    for number in range(20):
        reader.read(number, "", "word " * 50)
    assert reader.known(19) is not None
    assert reader.known(0) is None


def test_another_language_reads_anew() -> None:
    texts = ReadTexts()
    texts.reader(ENGLISH).read(7, "", "l'acier monte")
    french = texts.reader(Analyser("french"))
    assert french.known(7) is None
    (matches,) = french.matches([french.read(7, "", "l'acier monte")], {"acier": 1})
    assert matches.units == [1]


def test_numbering_begins_anew_while_older_readers_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ReadTexts()
    older = texts.reader(ENGLISH)
    kept = older.read(1, "", "alpha beta gamma")
    monkeypatch.setattr(read_texts, "MOST_WORDS", 2)
    newer = texts.reader(ENGLISH)
    monkeypatch.undo()
    again = newer.read(1, "", "gamma beta")
    assert newer.matches([again], {"gamma": 1})[0].places == [0]
    assert older.matches([kept], {"gamma": 1})[0].places == [2]


def test_long_fields_are_read_only_so_far() -> None:
    reader = ReadTexts().reader(ENGLISH)
    read = reader.read(1, "", "word " * (FIELD_CHARACTERS // 5) + "behind")
    assert not read.whole
    assert reader.matches([read], {"behind": 1}) == [Matches.none()]
    assert reader.read(2, "", "word").whole


def test_a_word_that_no_text_holds_and_texts_without_words_match_nothing() -> None:
    reader = ReadTexts().reader(ENGLISH)
    empty, some = reader.read(1, "", ""), reader.read(2, "", "copper")
    assert reader.matches([empty, some], {"unheard": 1}) == [Matches.none(), Matches.none()]
    assert reader.matches([empty], {"copper": 1}) == [Matches.none()]
    assert reader.matches([], {"copper": 1}) == []


def test_no_gap_reaches_from_title_to_body() -> None:
    side_by_side = Matches([0, 1], [0b01, 0b10])
    assert closeness(side_by_side, 0, (2.0, 3.0), 0.5) == 1.0
    assert closeness(side_by_side, 1, (2.0, 3.0), 0.5) == 0.0
    assert closeness(Matches([0, REACH + 1], [0b01, 0b10]), 0, (2.0, 3.0), 0.5) == 0.0
