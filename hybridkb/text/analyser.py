"""One analyser for documents and queries: which words does a text hold, and what is each word's stem?

A text is read in chunks (what stands between white space), and the words of a chunk depend on the chunk alone. Most
chunks of a text were seen before, so ``words`` is little more than a split and a dictionary look-up.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from sys import intern

import Stemmer

from hybridkb.errors import InvalidInput
from hybridkb.text.characters import fold_text
from hybridkb.text.function_words import FUNCTION_WORDS
from hybridkb.text.grammar import Item, Kind, items

ANALYSER_VERSION = 1
"""Changes whenever any text would give other words or stems: what was indexed before must then be indexed again."""

WITHOUT_STEMS = "none"

_KEPT_CHUNKS = 1 << 18
_KEPT_STEMS = 1 << 17
_LONGEST_KEPT = 64
_ELIDING = frozenset({"french", "italian", "catalan"})
_CHUNK = re.compile(r"\S+")
_UNSTEMMED = re.compile(r"[\d!-/:-@\[-`{-~\u2e80-\uffff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word and where it stands in the text as written, in code points.

    Attributes:
        word: the word.
        start: where it starts.
        end: where it ends.
        whole: it is a whole token as written, not a plain word, a piece or a pair.
    """

    word: str
    start: int
    end: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing as written: a plain word, a whole token with its pieces, or a run of pairs.

    Attributes:
        kind: plain, whole, pieces (of a token too long to keep) or run.
        tokens: its words; of a whole token first the token itself.
    """

    kind: Kind
    tokens: tuple[Token, ...]


def plain_word(chunk: str) -> tuple[str, ...]:
    """The word of a chunk that is nothing but ASCII letters and stops behind them; most are. Else nothing."""
    core = chunk.rstrip(".,;:!?")
    return (core.lower(),) if core.isascii() and core.isalpha() and len(core) <= _LONGEST_KEPT else ()


class _Chunks(dict[str, tuple[str, ...]]):
    """Words of the chunks met so far; emptied when full."""

    def __init__(self, elisions: bool) -> None:
        super().__init__()
        self._elisions = elisions

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        found = plain_word(chunk) or (place[0] for item in self.read(chunk) for place in item.places)
        words = tuple(map(intern, found))  # one object a word, whatever it was written like: it is looked up quicker
        if len(chunk) <= _LONGEST_KEPT:
            if len(self) >= _KEPT_CHUNKS:
                self.clear()
            self[chunk] = words
        return words

    def read(self, chunk: str) -> Iterator[Item]:
        return items(fold_text(chunk), elisions=self._elisions)


class Analyser:
    """Turns texts into words and words into stems.

    Safe to share between threads.

    Args:
        language: a Snowball algorithm, or ``none`` for words without stems.

    Raises:
        InvalidInput: the language is not known.
    """

    def __init__(self, language: str = "english") -> None:
        known = (*Stemmer.algorithms(), WITHOUT_STEMS)
        if language not in known:
            raise InvalidInput(f"unknown language {language!r}; use one of: {', '.join(known)}", field="language")
        self.language = language
        self._chunks = _Chunks(language in _ELIDING)
        self._stems: dict[str, str] = {}
        self._lock = threading.Lock()
        self._stemmer = None if language == WITHOUT_STEMS else Stemmer.Stemmer(language, 0)
        self.function_words = frozenset(self.words(FUNCTION_WORDS.get(language, "")))

    def words(self, text: str) -> list[str]:
        """The words of a text in reading order, for documents and queries alike.

        Joined by single spaces they are what FTS5 gets, and what it gives back.
        """
        return list(chain.from_iterable(map(self._chunks.__getitem__, text.split())))

    def words_by_chunk(self, chunks: Iterable[str]) -> list[tuple[str, ...]]:
        """The words of each of these stretches of text without white space."""
        return list(map(self._chunks.__getitem__, chunks))

    def readings(self, text: str) -> Iterator[Reading]:
        """The things a text holds in reading order; their words are those of ``words``."""
        for match in _CHUNK.finditer(text):
            at = match.start()
            for item in self._chunks.read(match[0]):
                yield _reading(item, at)

    def tokens(self, text: str) -> list[Token]:
        """The words of a text with their places in it."""
        return [token for reading in self.readings(text) for token in reading.tokens]

    def stem(self, word: str) -> str:
        """The stem of a word; whole tokens, words with digits and pairs are their own."""
        stem = self._stems.get(word)
        return self._learn(word) if stem is None else stem

    def key(self, text: str) -> str:
        """The text's stems joined by spaces: equal for texts that say the same in the same order."""
        return " ".join(map(self.stem, self.words(text)))

    def _learn(self, word: str) -> str:
        stem = word
        if self._stemmer is not None and not _UNSTEMMED.search(word):
            with self._lock:  # a Snowball stemmer keeps its work in itself
                stem = self._stemmer.stemWord(word) or word
        if len(self._stems) >= _KEPT_STEMS:
            self._stems.clear()
        self._stems[word] = stem
        return stem


@lru_cache(maxsize=4)
def shared_analyser(language: str) -> Analyser:
    """The analyser of a language; libraries of one process share it.

    Raises:
        InvalidInput: the language is not known.
    """
    return Analyser(language)


def _reading(item: Item, at: int) -> Reading:
    """An item of a chunk that starts at ``at``."""
    places = item.places
    return Reading(
        item.kind,
        tuple(
            Token(word, at + start, at + end, item.kind == "whole" and number == 0)
            for number, (word, start, end) in enumerate(places)
        ),
    )
