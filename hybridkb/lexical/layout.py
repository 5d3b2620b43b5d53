"""The byte layouts of term counts and postings. All integers are little-endian.

``record_terms.terms`` (one record): ``n`` is implied by the size.
    uint32 term ids [n], body counts [n], title counts [n], one byte: 1 or 4, the width of a count.
``posting.body`` and ``posting.title`` (one term in one segment):
    uint16 offsets from the segment's first record [n], counts [n], one byte: 1 or 4, the width of a count.

Counts are one byte each unless one exceeds 255.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hybridkb.errors import BrokenInvariant

Counts = NDArray[np.uint32]
_WIDTHS: dict[int, np.dtype[np.unsignedinteger]] = {1: np.dtype("<u1"), 4: np.dtype("<u4")}
NARROW = 255
Word = TypeVar("Word")


def encode_terms(body: Mapping[Word, int], title: Mapping[Word, int], ids: Mapping[Word, int]) -> bytes:
    """Lay out the term counts of one record, given by word, with the words' term ids."""
    words = list(body)
    body_counts = list(body.values())
    title_counts = [0] * len(words)
    for word, count in title.items():
        if word in body:
            title_counts[words.index(word)] = count
        else:
            words.append(word)
            body_counts.append(0)
            title_counts.append(count)
    packed_ids = struct.pack(f"<{len(words)}I", *map(ids.__getitem__, words))
    try:
        return b"".join((packed_ids, bytes(body_counts), bytes(title_counts), b"\1"))
    except ValueError:  # a count exceeds one byte
        wide = struct.pack(f"<{2 * len(words)}I", *body_counts, *title_counts)
        return b"".join((packed_ids, wide, b"\4"))


def decode_terms(blob: bytes) -> tuple[Counts, Counts, Counts]:
    """Read back (term ids, body counts, title counts) of one record."""
    width = _width_of(blob)
    number, rest = divmod(len(blob) - 1, 4 + 2 * width)
    if rest:
        raise BrokenInvariant("a row of record_terms has an impossible size; run rebuild()")
    ids = np.frombuffer(blob, "<u4", number)
    body = np.frombuffer(blob, _WIDTHS[width], number, 4 * number)
    title = np.frombuffer(blob, _WIDTHS[width], number, (4 + width) * number)
    return ids, body.astype(np.uint32), title.astype(np.uint32)


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
