"""Analysed words as a ``tsvector``, and phrases as a ``tsquery``.

Words are stemmed with FTS5's own stemmer, so that a phrase finds the same records on both engines. Both forms are
written out rather than made by ``to_tsvector``: the words are ours, and no configuration of the server may change them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import apsw

from hybridkb.database.sqlite_connection import first_token, words_tokenizer

MOST_PLACES = 255
"""A tsvector keeps so many places of one word (the server's MAXNUMPOS is 256, the last of which swallows the rest)."""
LAST_PLACE = 16_382
"""... and counts no place beyond this one (MAXENTRYPOS - 1 is where all later ones are put)."""
MOST_BYTES = 1_000_000
"""... in at most 1 MiB."""
_WORD_BYTES = 12
_PLACE_BYTES = 2


class Stems(dict[str, str]):
    """By word, what the word index keeps in its place; made once for each word. May be shared by threads."""

    def __init__(self, stemmed: bool) -> None:
        """``stemmed``: by FTS5's porter; else words stay as they are."""
        super().__init__()
        self._tokenizer = words_tokenizer(apsw.Connection(":memory:"), stemmed=stemmed)

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        stem = self[word] = first_token(self._tokenizer, word)
        return stem


class Quoted(dict[str, str]):
    """By word, its stem as a tsvector or a tsquery is written."""

    def __init__(self, stems: Stems) -> None:
        super().__init__()
        self.stems = stems

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        quoted = self[word] = "'" + self.stems[word].replace("\\", "\\\\").replace("'", "''") + "'"
        return quoted


_MOST_KNOWN = 200_000


@cache
def quoted_stems(stemmed: bool) -> Quoted:
    """The one table of this process."""
    return Quoted(Stems(stemmed))


def tsvector(words: Sequence[str], quoted: Quoted) -> tuple[str, bool]:
    """The words at their places, and whether all are there. The server sorts them and gathers the places of each."""
    whole = len(words) <= LAST_PLACE
    written = [quoted[word] for word in words[:LAST_PLACE]]
    if len(written) <= MOST_PLACES:
        return " ".join([f"{word}:{place}" for place, word in enumerate(written, 1)]), True
    counts = Counter(written)
    # the server counts every word as often as it is written, before it gathers their places
    size = len(" ".join(written).encode()) + _WORD_BYTES * len(counts) + _PLACE_BYTES * len(written)
    if size > MOST_BYTES:
        return "", False
    whole = whole and max(counts.values()) <= MOST_PLACES
    return " ".join([f"{word}:{place}" for place, word in enumerate(written, 1)]), whole


def phrase_query(words: Sequence[str], quoted: Quoted) -> str:
    """Words, or words of their stems, that follow each other."""
    return " <-> ".join([quoted[word] for word in words])
