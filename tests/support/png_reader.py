"""Reads the PNGs that the papers' code writes, by the book and nothing of that code."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt


def read_png(data: bytes) -> npt.NDArray[np.uint8]:
    """The pixels of a PNG of 8 bits, gray or colour: height x width x 3."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, shape = 8, b"", (0, 0, 0)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, bits, colour, *rest = struct.unpack(">IIBBBBB", body)
            assert (bits, colour in (0, 2), rest) == (8, True, [0, 0, 0])
            shape = height, width, 3 if colour else 1
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    return _unfiltered(zlib.decompress(packed), *shape)


def _unfiltered(raw: bytes, height: int, width: int, depth: int) -> npt.NDArray[np.uint8]:
    stride = width * depth
    lines = np.frombuffer(raw, dtype=np.uint8).reshape(height, stride + 1)
    pixels = np.zeros((height, stride), dtype=np.uint8)
    above = np.zeros(stride, dtype=np.uint8)
    for at, line in enumerate(lines):
        row = line[1:].copy()
        if line[0] == 1:
            row = np.add.accumulate(row.reshape(width, depth), axis=0, dtype=np.uint8).reshape(stride)
        elif line[0] == 2:
            row = row + above
        else:
            assert line[0] == 0
        pixels[at] = above = row
    return np.repeat(pixels.reshape(height, width, depth), 3 // depth, axis=2)
