"""The header of a JPEG: its size and how many colours it has."""

from __future__ import annotations

from typing import NamedTuple

_FRAMES = frozenset((0xC0, 0xC1, 0xC2, 0xC3))
_ALONE = frozenset((0x01, *range(0xD0, 0xD9)))


class JpegHeader(NamedTuple):
    """Pixels across and down, and colours to a pixel."""

    width: int
    height: int
    components: int


def read_jpeg_header(data: bytes) -> JpegHeader | None:
    """The header of a JPEG; None when the bytes are none, or one that is not read everywhere."""
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _ALONE:
            at += 2
        elif marker in _FRAMES:
            return _frame(data[at + 4 : at + 10])
        else:
            at += 2 + max(int.from_bytes(data[at + 2 : at + 4]), 2)
    return None


def _frame(header: bytes) -> JpegHeader | None:
    if len(header) < 6 or header[0] != 8:
        return None
    height, width = int.from_bytes(header[1:3]), int.from_bytes(header[3:5])
    return JpegHeader(width, height, header[5]) if width and height else None
