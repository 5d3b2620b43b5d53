"""Packs the tail: term counts by record become postings by term, a segment at a time.

A segment covers at most 65,536 record ids, so that an offset fits two bytes. Its columns
(interval, lengths, digest) are packed beside it, so that a new process need not read
every record. Both are copies: the record rows stay the truth, and rows changed after the
packing are listed in ``record_change``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.lexical.layout import NARROW, decode_terms, in_term_order

SEGMENT_SPAN = 1 << 16
PACK_AFTER = 1 << 15  # records; a tail up to this size is read into memory by every process
LEAST_PACKED = 1 << 11  # ... and one up to this size costs a new process a few hundredths of a second


def due_at_rest(connection: Connection) -> int | None:
    """How long a tail is worth packing once a put is over; None when this one is not.

    It is half of what is packed, within fixed bounds: no new process reads much of a small library from its tail,
    and a large one has few small segments.
    """
    records, _, _ = _tail(connection, LEAST_PACKED)
    if not records:
        return None
    packed = sum(last - first + 1 for _, first, last in connection.rows("lexical/segments"))
    due = min(PACK_AFTER // 2, max(LEAST_PACKED, packed // 2))
    return due if records >= due else None


def pack_if_long(connection: Connection, *, at_least: int = PACK_AFTER) -> bool:
    """Pack the tail inside the caller's write transaction once it holds ``at_least`` records.

    Returns whether anything was packed; the caller then refreshes packed columns and bumps
    the packing.
    """
    records, first, last = _tail(connection, at_least)
    if not records:
        return False
    while first <= last:
        end = min(first + SEGMENT_SPAN - 1, last)
        _pack_range(connection, first, end)
        first = end + 1
    return True


def _tail(connection: Connection, at_least: int) -> tuple[int, int, int]:
    """How many records the tail holds, its first and its last; zeros when they are fewer than ``at_least``.

    Counting reads the whole tail, so a tail whose ends are too near is not counted.
    """
    first, last = connection.row("lexical/tail_bounds") or (0, 0)
    if not first or last - first + 1 < at_least:
        return 0, 0, 0
    records, first, last = connection.row("lexical/tail_size") or (0, 0, 0)
    return (records, first, last) if records >= at_least else (0, 0, 0)


def _pack_range(connection: Connection, first: int, last: int) -> None:
    bounds = {"first": first, "last": last}
    rows = connection.rows("lexical/tail_range", bounds)
    segment_no = 1 + max((row[0] for row in connection.rows("lexical/segments")), default=0)
    empty = dict.fromkeys(("visible_from", "visible_until", "title_words", "body_words", "digest"), b"")
    connection.rows("lexical/insert_segment", {"segment_no": segment_no, **bounds, **empty})
    connection.many(
        "lexical/insert_posting",
        ((segment_no, term_id, body, title) for term_id, body, title in _postings(rows, first)),
    )
    connection.rows("lexical/delete_packed_terms", bounds)


def _postings(rows: list[tuple[int, bytes]], first: int) -> Iterator[tuple[int, bytes, bytes | None]]:
    """Turn term counts by record into (term id, body, title) postings, terms ascending."""
    if not rows:
        return
    terms, body, title, sizes = decode_terms([blob for _, blob in rows])
    if not len(terms):
        return
    offsets = np.repeat(np.array([record_id - first for record_id, _ in rows], np.uint16), sizes)
    order = in_term_order(terms)
    terms, offsets, body, title = terms[order], offsets[order], body[order], title[order]
    starts = np.flatnonzero(np.concatenate(([True], terms[1:] != terms[:-1])))
    titles = (blob or None for blob in _blobs(offsets, title, starts))
    yield from zip(terms[starts].tolist(), _blobs(offsets, body, starts), titles, strict=True)


def _blobs(offsets: NDArray[np.uint16], counts: NDArray[np.uint32], starts: NDArray[np.int64]) -> list[bytes]:
    """One field's postings of many terms, laid out at once as :func:`encode_posting` does one by one.

    Empty where no record holds the term in this field. ``starts`` says where each term begins.
    """
    held = counts > 0
    sizes = np.add.reduceat(held, starts, dtype=np.int64)
    kept = counts[held]
    in_bytes, narrow = offsets[held].astype("<u2").tobytes(), np.minimum(kept, NARROW).astype(np.uint8).tobytes()
    blobs = [b""] * len(starts)
    ends = np.cumsum(sizes)
    some = np.flatnonzero(sizes)
    for place, start, end in zip(some.tolist(), (ends - sizes)[some].tolist(), ends[some].tolist(), strict=True):
        blobs[place] = in_bytes[2 * start : 2 * end] + narrow[start:end] + b"\1"
    for place in np.flatnonzero(np.maximum.reduceat(counts, starts) > NARROW).tolist():
        start, end = int(ends[place] - sizes[place]), int(ends[place])
        blobs[place] = in_bytes[2 * start : 2 * end] + kept[start:end].astype("<u4").tobytes() + b"\4"
    return blobs


def unpack_everything(connection: Connection) -> None:
    """Drop all packed rows and term counts, before a rebuild."""
    for name in ("clear_postings", "clear_segments", "clear_record_terms", "clear_terms"):
        connection.rows(f"lexical/{name}")

