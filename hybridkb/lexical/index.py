"""Writes the word index: FTS5 rows, vocabulary, term counts of new records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, read_ids
from hybridkb.lexical.layout import decode_posting, decode_terms, encode_posting, encode_terms
from hybridkb.lexical.term_counts import count_terms
from hybridkb.lexical.vocabulary import TermWriter

MERGING = (("automerge", 16), ("hashsize", 4 * 2**20))
"""FTS5 merges when a level holds sixteen segments, and keeps 4 MiB of new words in memory before it writes one."""


@dataclass(frozen=True, slots=True)
class RecordWords:
    """The analysed words of one record, in reading order."""

    record_id: int
    title: Sequence[str]
    body: Sequence[str]


def create_words_table(connection: Connection, *, stemmed: bool) -> None:
    """Make the FTS5 table; ``stemmed`` for English, where FTS5's porter serves plain SQL queries."""
    connection.rows("lexical/create_words_stemmed" if stemmed else "lexical/create_words_plain")
    connection.many("lexical/set_words_option", MERGING)


def add_words(connection: Connection, terms: TermWriter, records: Sequence[RecordWords]) -> None:
    """Index records inside the caller's write transaction."""
    connection.many(
        "lexical/insert_words",
        (connection.words_row(record.record_id, record.title, record.body) for record in records),
    )
    fields = [field for record in records for field in (record.title, record.body)]
    counts = count_terms(terms.numbers(connection, list(chain.from_iterable(fields))), list(map(len, fields)))
    blobs = encode_terms(counts.ids, counts.body, counts.title, counts.sizes)
    connection.many(
        "lexical/insert_record_terms",
        ((record.record_id, blob) for record, blob in zip(records, blobs, strict=True)),
    )


def remove_words(connection: Connection, record_ids: Sequence[int]) -> None:
    """Take records out of FTS5 and the tail. Packed postings stay and are masked as dead."""
    ids = {"ids": json.dumps(list(record_ids))}
    connection.rows("lexical/delete_words", ids)
    connection.rows("lexical/delete_record_terms", ids)


def erase_dead_postings(connection: Connection) -> bool:
    """Remove from packed postings what corrections and withdrawals left there, and words that nothing holds.

    Returns whether anything changed; the caller then bumps the packing.
    """
    changed = False
    for segment_no, first, last in connection.rows("lexical/segments"):
        live = read_ids(connection.value("lexical/live_records", {"first": first, "last": last}))
        dead = np.ones(last - first + 1, bool)
        dead[live - first] = False
        if dead.any():
            rows = connection.rows("lexical/segment_postings", {"segment_no": segment_no})
            changed |= _erase_from_segment(connection, segment_no, dead, rows)
    return _drop_unused_terms(connection) or changed


def _erase_from_segment(
    connection: Connection,
    segment_no: int,
    dead: NDArray[np.bool_],
    rows: Iterable[tuple[int, bytes, bytes | None]],
) -> bool:
    changed = False
    for term_id, body, title in rows:
        new_body, new_title = _without(body, dead), _without(title, dead)
        if (new_body or b"", new_title) == (body, title):
            continue
        changed = True
        if new_body or new_title:
            connection.rows("lexical/update_posting", (new_body or b"", new_title, segment_no, term_id))
        else:
            connection.rows("lexical/delete_posting", (segment_no, term_id))
    return changed


def _without(blob: bytes | None, dead: NDArray[np.bool_]) -> bytes | None:
    if not blob:
        return blob
    held, counts = decode_posting(blob)
    keep = ~dead[held]
    if keep.all():
        return blob
    return encode_posting(held[keep], counts[keep].astype(np.uint32)) if keep.any() else None


def _drop_unused_terms(connection: Connection) -> bool:
    tail = [blob for _, blob in connection.rows("lexical/tail_after", {"after": 0})]
    in_tail = set(np.unique(decode_terms(tail)[0]).tolist())
    unused = [row for row in connection.rows("lexical/terms_without_posting") if row[0] not in in_tail]
    connection.many("lexical/delete_term", unused)
    return bool(unused)
