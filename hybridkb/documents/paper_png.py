"""Pixels to a PNG: the same pixels, the same bytes."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from hybridkb.documents.pdf_pictures import Pixels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEVEL = 6
_ROWS = 256
_GRAY, _COLOUR = 0, 2


def write_png(pixels: Pixels) -> bytes:
    """Write pixels (height x width x red, green, blue) as a PNG, in shades of gray when they have no colour."""
    height, width, _ = pixels.shape
    is_gray = _is_gray(pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, _GRAY if is_gray else _COLOUR, 0, 0, 0)
    packer = zlib.compressobj(_LEVEL)
    packed: list[bytes] = []
    depth = 1 if is_gray else 3
    above = np.zeros((1, width * depth), dtype=np.uint8)
    for first in range(0, height, _ROWS):
        rows = np.ascontiguousarray(pixels[first : first + _ROWS, :, :depth]).reshape(-1, width * depth)
        packed.append(packer.compress(_filtered(rows, above, depth).tobytes()))
        above = rows[-1:]
    packed.append(packer.flush())
    return b"".join((_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", b"".join(packed)), _chunk(b"IEND", b"")))


def _is_gray(pixels: Pixels) -> bool:
    return all(
        bool((part[:, :, 0] == part[:, :, 1]).all() and (part[:, :, 0] == part[:, :, 2]).all())
        for part in (pixels[first : first + _ROWS] for first in range(0, len(pixels), _ROWS))
    )


def _filtered(rows: Pixels, above: Pixels, depth: int) -> Pixels:
    """Each row after the filter that leaves the least: none, or the difference to the left or to the row above."""
    up = np.concatenate((above, rows[:-1]))
    left = np.zeros_like(rows)
    left[:, depth:] = rows[:, :-depth]
    tried = np.stack((rows, rows - left, rows - up))
    costs = np.minimum(tried, 0 - tried).sum(axis=2, dtype=np.int64)
    chosen = costs.argmin(axis=0)
    filtered = np.empty((rows.shape[0], rows.shape[1] + 1), dtype=np.uint8)
    filtered[:, 0] = chosen
    filtered[:, 1:] = tried[chosen, np.arange(len(rows))]
    return filtered


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
