"""Lines of a file, plain or gzipped, or of standard input, with a note of how far reading has come."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from hybridkb.errors import UnreadableDocument

STDIN = Path("-")
_GZIP = b"\x1f\x8b"


class Lines:
    """The lines of one file, read lazily and once.

    Attributes:
        name: the file, for messages.
        size: bytes on disk; None for standard input.
        position: bytes of it that were read.
    """

    def __init__(self, path: Path) -> None:
        self.name = "<stdin>" if path == STDIN else str(path)
        self.size: int | None = None
        self.position = 0
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines, their line breaks included.

        Raises:
            UnreadableDocument: the file cannot be read, or is damaged.
        """
        try:
            if self._path == STDIN:
                yield from sys.stdin.buffer
                return
            with self._path.open("rb") as raw:
                self.size = os.fstat(raw.fileno()).st_size
                zipped = raw.peek(2)[:2] == _GZIP
                lines: io.BufferedIOBase = gzip.GzipFile(fileobj=raw) if zipped else raw
                for line in lines:
                    self.position = raw.tell()
                    yield line
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UnreadableDocument(f"{self.name} cannot be read: {reason}", path=self.name) from error


def first_line(lines: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Look at the first line that is not blank; return it and an iterator that still yields every line."""
    seen: list[bytes] = []
    for line in lines:
        seen.append(line)
        if line.strip():
            break

    def all_lines() -> Iterator[bytes]:
        yield from seen
        yield from lines

    return (seen[-1] if seen else b""), all_lines()
