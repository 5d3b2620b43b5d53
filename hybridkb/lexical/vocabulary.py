"""Words and their numbers. Postings speak of term ids; only this module speaks of words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection

MOST_CACHED = 1_000_000


class TermWriter:
    """Gives every word a term id inside the caller's write transaction.

    Remembers ids between transactions; what a transaction added is forgotten again unless
    :meth:`committed` says that it stayed.
    """

    def __init__(self, stem: Callable[[str], str]) -> None:
        self._stem = stem
        self._ids: dict[str, int] = {}
        self._fresh: list[str] = []
        self._packing = -1
        self._moved: tuple[int, int] | None = None

    def begin(self, packing: int) -> None:
        """Start a transaction; another packing may have dropped terms, so forget the ids."""
        for word in self._fresh:
            self._ids.pop(word, None)
        self._fresh = []
        self._moved = None
        if packing != self._packing or len(self._ids) > MOST_CACHED:
            self._ids = {}
            self._packing = packing

    def committed(self) -> None:
        """Keep what the transaction added."""
        self._fresh = []
        if self._moved is not None and self._moved[0] == self._packing:
            self._packing = self._moved[1]
        self._moved = None

    def repacked(self, before: int, after: int) -> None:
        """The transaction packs without dropping a term: what is known of one packing is true of the next."""
        self._moved = (before, after)

    def numbers(self, connection: Connection, words: Sequence[str]) -> NDArray[np.uint32]:
        """The term id of each word, in order; words met for the first time get theirs now."""
        found = np.fromiter(map(self._ids.get, words, repeat(0)), np.uint32, len(words))
        unknown = np.flatnonzero(found == 0).tolist()
        if unknown:
            self._learn(connection, sorted({words[place] for place in unknown}))
            found[unknown] = [self._ids[words[place]] for place in unknown]
        return found

    def _learn(self, connection: Connection, unknown: list[str]) -> None:
        """Give words that are not known here their ids, in as few statements as can be."""
        ids = self._ids
        highest = int(connection.value("lexical/highest_term"))
        if highest != len(ids):  # else every term is known: ids are numbers from 1, each of a term that is there
            ids.update(connection.rows("lexical/terms_by_word", {"words": json.dumps(unknown)}))
        new = [word for word in unknown if word not in ids]
        next_id = highest + 1
        self._fresh += new
        ids.update(zip(new, range(next_id, next_id + len(new)), strict=True))
        connection.many("lexical/insert_term", [(ids[word], word, self._stem(word)) for word in new])


Terms = list[tuple[int, str]]
"""Term ids and their words."""


Key = tuple[str, str]
"""How words are looked for (``stem``, ``prefix``, else as written), and the stem, beginning or word."""


def terms_of_keys(connection: Connection, keys: Iterable[Key]) -> dict[Key, Terms]:
    """The terms of each key, by term id, in as few statements as can be."""
    found: dict[Key, Terms] = {key: [] for key in keys}
    stems = [word for kind, word in found if kind == "stem"]
    words = {word for kind, word in found if kind not in ("stem", "prefix")}
    if stems:
        for stem, term_id, word in connection.rows("lexical/terms_of_stems", {"stems": json.dumps(stems)}):
            found["stem", stem].append((term_id, word))
    if words:
        ids: dict[str, int] = dict(connection.rows("lexical/terms_by_word", {"words": json.dumps(sorted(words))}))
        for key, terms in found.items():
            if key[1] in ids and key[0] not in ("stem", "prefix"):
                terms.append((ids[key[1]], key[1]))
    for key, terms in found.items():
        if key[0] == "prefix":
            terms += terms_of_prefix(connection, key[1])
    return found


def terms_of_word(connection: Connection, word: str) -> Terms:
    """One word as written: none or one."""
    return connection.rows("lexical/term_of_word", {"word": word})


def terms_of_prefix(connection: Connection, prefix: str) -> Terms:
    """All words that start with ``prefix``, by term id."""
    bounds = {"first": prefix, "last": prefix + "\U0010ffff"}
    return sorted(connection.rows("lexical/terms_of_prefix", bounds))
