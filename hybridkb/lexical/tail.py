"""Term counts of records that are not packed yet, in memory, ready to be looked up by term.

A small log-structured merge: every batch of new records becomes a sorted block, and
blocks of like size are merged, so that adding one record costs little and a look-up
touches few blocks. Objects are immutable; readers keep the one they started with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.lexical.layout import decode_terms, in_term_order

LARGEST_MERGE = 1 << 18  # entries; bounds the pause of one merge to some 20 ms


@dataclass(frozen=True, slots=True)
class Block:
    """Parallel arrays sorted by (term, record)."""

    terms: NDArray[np.uint32]
    records: NDArray[np.int64]
    body: NDArray[np.uint32]
    title: NDArray[np.uint32]

    def find(self, term_id: int) -> slice:
        """Where the term's entries stand."""
        # Of the same type as the terms: otherwise numpy converts all of them at every look-up.
        first, last = np.searchsorted(self.terms, np.array([term_id, term_id + 1], np.uint32))
        return slice(int(first), int(last))


@dataclass(frozen=True, slots=True)
class Tail:
    """All blocks, largest first."""

    blocks: tuple[Block, ...] = ()

    def with_rows(self, rows: Iterable[tuple[int, bytes]]) -> Tail:
        """Add records given as (record id, encoded term counts)."""
        block = _block_of(rows)
        return self if block is None else Tail(_merged((*self.blocks, block)))


def _block_of(rows: Iterable[tuple[int, bytes]]) -> Block | None:
    numbered = list(rows)
    if not numbered:
        return None
    terms, body, title, sizes = decode_terms([blob for _, blob in numbered])
    records = np.repeat(np.array([record_id for record_id, _ in numbered], np.int64), sizes)
    return _sorted_block(terms, records, body, title)


def _sorted_block(
    terms: NDArray[np.uint32], records: NDArray[np.int64], body: NDArray[np.uint32], title: NDArray[np.uint32]
) -> Block:
    order = in_term_order(terms)
    return Block(terms[order], records[order], body[order], title[order])


def _merged(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    stack = list(blocks)
    while len(stack) > 1:
        older, newer = stack[-2], stack[-1]
        together = len(older.terms) + len(newer.terms)
        if len(older.terms) > 2 * len(newer.terms) or together > LARGEST_MERGE:
            break
        stack[-2:] = [
            _sorted_block(
                np.concatenate([older.terms, newer.terms]),
                np.concatenate([older.records, newer.records]),
                np.concatenate([older.body, newer.body]),
                np.concatenate([older.title, newer.title]),
            )
        ]
    return tuple(stack)
