"""Texts as they were read last: the words of a record as numbers, so that the next query finds its own at once.

Closeness and snippets read the texts of the best records. Most of what that costs is looking up some two hundred words
a text; neighbouring queries, and the days of a backtest, meet the same texts again. A record's text never changes under
its id.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from hybridkb.lexical.postings import ByteBoundCache
from hybridkb.text import Analyser

TEXT_BYTES = 16 * 2**20
MOST_WORDS = 1 << 18  # different words that are numbered; then numbering begins anew
FIELD_CHARACTERS = 20_000  # of each field; longer ones are read no further
SHORTEST_CONTENT = 3  # characters of a word that says something by itself

Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class ReadText:
    """The words of a record's title and body, in reading order.

    Attributes:
        words: their numbers.
        chunks: for each, which stretch between white space it stands in, counted through title and body from 0.
        title_words: how many of them are the title's.
        whole: whether nothing was left out.
    """

    words: Numbers
    chunks: Numbers
    title_words: int
    whole: bool

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return int(self.words.nbytes + self.chunks.nbytes) + 200


class _WordNumbers(dict[str, int]):
    """A number for every word met, from 0; a number may be left out when two threads ask at once.

    Attributes:
        words: the word of each number.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[int, str] = {}
        self._next = count()

    def __missing__(self, word: str) -> int:
        number = next(self._next)
        self.words[number] = word  # before anybody can meet the number
        return self.setdefault(word, number)


@dataclass(frozen=True, slots=True)
class _Numbering:
    """Numbers, and the texts that were read with them."""

    language: str
    numbers: _WordNumbers
    texts: ByteBoundCache[int, ReadText]
    content_stems: dict[int, str] = field(default_factory=dict)


class ReadTexts:
    """Remembers the texts of one packing. Thread-safe."""

    def __init__(self, most_bytes: int = TEXT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._now: _Numbering | None = None

    def reader(self, analyser: Analyser) -> TextReader:
        """What one query reads with."""
        with self._lock:
            now = self._now
            if now is None or now.language != analyser.language or len(now.numbers) > MOST_WORDS:
                now = _Numbering(analyser.language, _WordNumbers(), ByteBoundCache(self._most_bytes))
                self._now = now
        return TextReader(analyser, now)


class TextReader:
    """Reads texts for one query."""

    def __init__(self, analyser: Analyser, numbering: _Numbering) -> None:
        self._analyser = analyser
        self._numbers = numbering.numbers
        self._texts = numbering.texts
        self._content_stems = numbering.content_stems

    def known(self, record_id: int) -> ReadText | None:
        """The record's text, if it was read before."""
        return self._texts.get(record_id)

    def read(self, record_id: int, title: str, body: str) -> ReadText:
        """The record's text, read now unless it was before."""
        found = self._texts.get(record_id)
        if found is None:
            found = self._read(title, body)
            self._texts.put(record_id, found)
        return found

    def matches(self, texts: Sequence[ReadText], units_of: Mapping[str, int]) -> list[Matches]:
        """Where the texts hold words of the query.

        Args:
            texts: texts of this reader.
            units_of: bit set of the units that a word of the query belongs to.
        """
        kinds = list(dict.fromkeys(units_of.values()))
        place_of = {units: place for place, units in enumerate(kinds, start=1)}
        known = self._numbers.get  # a word without a number stands in no text that was read
        sought = [(number, place_of[units]) for word, units in units_of.items() if (number := known(word)) is not None]
        sizes = [len(text.words) for text in texts]
        if not sought or not sum(sizes):
            return [Matches.none() for _ in texts]
        table = np.zeros(1 + max(*self._highest(texts), *(number for number, _ in sought)), np.uint32)
        table[[number for number, _ in sought]] = [place for _, place in sought]
        found = table[np.concatenate([text.words for text in texts])]
        where = np.flatnonzero(found)
        units = [kinds[place - 1] for place in found[where].tolist()]
        ends = np.cumsum(sizes)
        borders = [0, *np.searchsorted(where, ends).tolist()]
        starts = (ends - sizes).tolist()
        return [
            Matches((where[first:last] - start).tolist(), units[first:last])
            for first, last, start in zip(borders, borders[1:], starts, strict=False)
        ]

    def content_stem(self, number: int) -> str:
        """The stem of a word of a text that was read, if it says something by itself; else nothing.

        Numbers, codes, short words, CJK pairs and function words say nothing of what a text is about.
        """
        stem = self._content_stems.get(number)
        if stem is None:
            word = self._numbers.words[number]
            content = word.isalpha() and len(word) >= SHORTEST_CONTENT and word not in self._analyser.function_words
            self._content_stems[number] = stem = self._analyser.stem(word) if content else ""
        return stem

    def _highest(self, texts: Sequence[ReadText]) -> list[int]:
        return [int(text.words.max()) for text in texts if len(text.words)]

    def _read(self, title: str, body: str) -> ReadText:
        short_title, short_body = title[:FIELD_CHARACTERS], body[:FIELD_CHARACTERS]
        in_title = self._analyser.words_by_chunk(short_title.split())
        chunks = in_title + self._analyser.words_by_chunk(short_body.split())
        sizes = [len(words) for words in chunks]
        words = np.fromiter(map(self._numbers.__getitem__, chain.from_iterable(chunks)), np.uint32, sum(sizes))
        return ReadText(
            words,
            np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes),
            sum(sizes[: len(in_title)]),
            len(title) <= FIELD_CHARACTERS and len(body) <= FIELD_CHARACTERS,
        )


@dataclass(frozen=True, slots=True)
class Matches:
    """Words of a text that belong to the query.

    Attributes:
        places: which of the text's words, ascending.
        units: for each, the bit set of the units it belongs to.
    """

    places: list[int]
    units: list[int]

    @classmethod
    def none(cls) -> Matches:
        """A text without any."""
        return cls([], [])
