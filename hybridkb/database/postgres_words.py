"""Analysed words as a ``tsvector``, and phrases as a ``tsquery``.

Words are stemmed with FTS5's own stemmer, so that a phrase finds the same records on both engines. Both forms are
written out rather than made by ``to_tsvector``: the words are ours, and no configuration of the server may change them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import apsw

from hybridkb.database.sqlite_connection import first_token, words_tokenizer

MOST_PLACES = 255
"""A tsvector keeps so many places of one word (the server's MAXNUMPOS is 256, the last of which swallows the rest)."""
LAST_PLACE = 16_382
"""... and counts no place beyond this one (MAXENTRYPOS - 1 is where all later ones are put)."""
MOST_BYTES = 1_000_000
"""... in at most 1 MiB."""
_PLACE_BYTES = 2
_WORD_BYTES = 12

Stem = Callable[[str], str]


@lru_cache(maxsize=2)
def stemmer(stemmed: bool) -> Stem:
    """What the word index keeps in place of a word. Thread-safe."""
    connection = apsw.Connection(":memory:")
    tokenizer = words_tokenizer(connection, stemmed=stemmed)
    return lru_cache(maxsize=200_000)(lambda word: first_token(tokenizer, word))


def tsvector(words: Sequence[str], stem: Stem) -> tuple[str, bool]:
    """The words at their places, and whether all are there."""
    places: dict[str, list[int]] = {}
    whole = len(words) <= LAST_PLACE
    for place, word in enumerate(words[:LAST_PLACE], 1):
        places.setdefault(stem(word), []).append(place)
    written, held = [], 0
    for word, its in places.items():
        if len(its) > MOST_PLACES:
            whole, its = False, its[:MOST_PLACES]
        held += len(word.encode()) + _WORD_BYTES + _PLACE_BYTES * len(its)
        if held > MOST_BYTES:
            return "", False
        written.append(f"{_quoted(word)}:{','.join(map(str, its))}")
    return " ".join(written), whole


def phrase_query(words: Sequence[str], stem: Stem) -> str:
    """Words, or words of their stems, that follow each other."""
    return " <-> ".join(_quoted(stem(word)) for word in words)


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
