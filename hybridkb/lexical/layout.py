"""The byte layouts of term counts and postings. All integers are little-endian.

``record_terms.terms`` (one record): ``n`` is implied by the size.
    uint32 term ids [n], body counts [n], title counts [n], one byte: 1 or 4, the width of a count.
``posting.body`` and ``posting.title`` (one term in one segment):
    uint16 offsets from the segment's first record [n], counts [n], one byte: 1 or 4, the width of a count.

Counts are one byte each unless one exceeds 255.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hybridkb.errors import BrokenInvariant

Counts = NDArray[np.uint32]
_WIDTHS: dict[int, np.dtype[np.unsignedinteger]] = {1: np.dtype("<u1"), 4: np.dtype("<u4")}
NARROW = 255


def encode_terms(ids: Counts, body: Counts, title: Counts, sizes: NDArray[np.int64]) -> list[bytes]:
    """Lay out the term counts of records that follow each other.

    Args:
        ids: term ids, each once a record; counted in ``body`` and ``title``.
        body, title: how often the record holds the term in that field.
        sizes: how many terms each record holds.
    """
    wide = _any_exceeds(np.maximum(body, title), NARROW, sizes)
    packed = ids.astype("<u4").tobytes()
    narrow_body, narrow_title = _narrowed(body), _narrowed(title)
    blobs: list[bytes] = []
    end = 0
    for size, is_wide in zip(sizes.tolist(), wide.tolist(), strict=True):
        start, end = end, end + size
        if is_wide:
            counts = np.concatenate([body[start:end], title[start:end]]).astype("<u4").tobytes() + b"\4"
        else:
            counts = b"".join((narrow_body[start:end], narrow_title[start:end], b"\1"))
        blobs.append(packed[4 * start : 4 * end] + counts)
    return blobs


def _any_exceeds(counts: Counts, most: int, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each stretch of so many counts, whether one is larger than ``most``."""
    larger = np.concatenate(([0], np.cumsum(counts > most)))
    ends = np.cumsum(sizes)
    found: NDArray[np.bool_] = larger[ends] > larger[ends - sizes]
    return found


def _narrowed(counts: Counts) -> bytes:
    return np.minimum(counts, NARROW).astype(np.uint8).tobytes()


def decode_terms(blobs: Sequence[bytes]) -> tuple[Counts, Counts, Counts, NDArray[np.int64]]:
    """Read back (term ids, body counts, title counts) of records one after another, and how many terms each holds."""
    ids, body, title = [], [], []
    sizes = np.empty(len(blobs), np.int64)
    wide: dict[int, bytes] = {}
    for place, blob in enumerate(blobs):
        width = _width_of(blob)
        size, rest = divmod(len(blob) - 1, 4 + 2 * width)
        if rest:
            raise BrokenInvariant("a row of record_terms has an impossible size; run rebuild()")
        sizes[place] = size
        if width == 4:
            wide[place] = blob
        ids.append(blob[: 4 * size])  # counts of four bytes are rare: they are read apart, a byte holds their places
        body.append(blob[4 * size : 5 * size])
        title.append(blob[5 * size : 6 * size])
    found = np.frombuffer(b"".join(ids), "<u4"), _widened(body), _widened(title)
    ends = np.cumsum(sizes)
    for place, blob in wide.items():
        size, end = int(sizes[place]), int(ends[place])
        for field, counts in enumerate(found[1:], start=1):
            counts[end - size : end] = np.frombuffer(blob, "<u4", size, 4 * size * field)
    return *found, sizes


def _widened(counts: Sequence[bytes]) -> Counts:
    return np.frombuffer(b"".join(counts), np.uint8).astype(np.uint32)


def in_term_order(terms: Counts) -> NDArray[np.intp]:
    """A stable order by term; records, which come in order, stay so. numpy sorts two bytes at a time by radix."""
    low = np.argsort((terms & 0xFFFF).astype(np.uint16), kind="stable")
    return low[np.argsort((terms[low] >> 16).astype(np.uint16), kind="stable")]


def encode_posting(offsets: NDArray[np.uint16], counts: Counts) -> bytes:
    """Lay out one posting list of a segment; offsets ascend."""
    width = 1 if not len(counts) or int(counts.max()) <= NARROW else 4
    return offsets.astype("<u2").tobytes() + counts.astype(_WIDTHS[width]).tobytes() + bytes((width,))


def decode_posting(blob: bytes) -> tuple[NDArray[np.uint16], NDArray[np.unsignedinteger]]:
    """Read back (offsets, counts) of one posting list."""
    width = _width_of(blob)
    number, rest = divmod(len(blob) - 1, 2 + width)
    if rest:
        raise BrokenInvariant("a row of posting has an impossible size; run rebuild()")
    return np.frombuffer(blob, "<u2", number), np.frombuffer(blob, _WIDTHS[width], number, 2 * number)


def _width_of(blob: bytes) -> int:
    width = blob[-1] if blob else 0
    if width not in _WIDTHS:
        raise BrokenInvariant("packed term counts are damaged; run rebuild()")
    return width
