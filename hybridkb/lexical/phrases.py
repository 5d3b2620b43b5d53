"""Which records hold words side by side? The word index tells, and where it cannot, the text does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, ids_parameter, read_ids
from hybridkb.text import Analyser

_STEP = 64  # long texts that are read at once

Ids = NDArray[np.int64]


def side_by_side(
    connection: Connection, analyser: Analyser, words: Sequence[str], held: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Narrow records to those in one field of which the words, or words of their stems, follow each other.

    Args:
        connection: inside a read transaction.
        analyser: what the records were indexed with.
        words: at least two, as the analyser gives them.
        held: by record id, whether it holds every word.
    """
    together = np.zeros(len(held), bool)
    match = connection.phrase_match(words)
    together[read_ids(connection.value("lexical/phrase_records", {"match": match}))] = True
    doubts = read_ids(connection.value("lexical/phrase_doubts"))
    doubts = doubts[held[doubts] & ~together[doubts]]
    together[_told_by_text(connection, analyser, words, doubts)] = True
    return held & together


def _told_by_text(connection: Connection, analyser: Analyser, words: Sequence[str], record_ids: Ids) -> list[int]:
    sought = [connection.indexed_word(word) for word in words]
    found = []
    for first in range(0, len(record_ids), _STEP):
        rows = connection.rows("records/texts_of", ids_parameter(record_ids[first : first + _STEP]))
        for record_id, *fields in rows:
            if any(_holds(connection, analyser.words(field), sought) for field in fields):
                found.append(record_id)
    return found


def _holds(connection: Connection, words: Sequence[str], sought: Sequence[str]) -> bool:
    """Whether the sought stems follow each other somewhere in the words."""
    stem_of = {word: connection.indexed_word(word) for word in set(words)}
    stems, size = [stem_of[word] for word in words], len(sought)
    wanted = list(sought)
    return any(stem == wanted[0] and stems[place : place + size] == wanted for place, stem in enumerate(stems))
