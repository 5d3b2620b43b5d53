"""The bytes of one file, as they were at one moment. Nothing but a regular file is ever opened for long."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass

from hybridkb.folder.opening import open_real
from hybridkb.folder.scan import FoundFile
from hybridkb.store.files import storable_time

_ATTEMPTS = 3


class NotReadNow(Exception):
    """The file cannot be read at this moment; what was known of it stays. The text says why."""


@dataclass(frozen=True, slots=True)
class ReadBytes:
    """What a file held.

    Attributes:
        data: all of it.
        size, modified_ns, changed_ns: of the file, before and after it was read.
        read_ns: when reading began (nanoseconds since 1970 UTC).
    """

    data: bytes
    size: int
    modified_ns: int
    changed_ns: int
    read_ns: int


def read_bytes(found: FoundFile, max_bytes: int) -> ReadBytes:
    """Read a file that a scan found.

    Raises:
        FileNotFoundError: it is gone.
        NotReadNow: it is no regular file any more, grew beyond ``max_bytes``, or kept changing while it was read.
        OSError: the operating system refuses.
    """
    for _ in range(_ATTEMPTS):
        handle = open_real(found.real)
        try:
            read = _read(handle, max_bytes)
        finally:
            os.close(handle)
        if read is not None:
            return read
    raise NotReadNow("kept changing while it was read; the next refresh tries again")


def _read(handle: int, max_bytes: int) -> ReadBytes | None:
    """Read an open file; None when it changed meanwhile."""
    read_ns = time.time_ns()
    before = os.fstat(handle)
    if not stat.S_ISREG(before.st_mode):
        raise NotReadNow("is no regular file any more")
    pieces, left = [], max_bytes + 1
    while left and (piece := os.read(handle, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise NotReadNow(f"grew beyond {max_bytes:,} bytes while it was read")
    data, after = b"".join(pieces), os.fstat(handle)
    if _times(before) != _times(after) or len(data) != before.st_size:
        return None
    return ReadBytes(data, *_times(before), read_ns)


def _times(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, storable_time(status.st_mtime_ns), storable_time(status.st_ctime_ns)
