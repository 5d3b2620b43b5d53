"""The files below a folder that a reader may read: in a fixed order, never outside the folder, each refusal said."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hybridkb.errors import InvalidInput
from hybridkb.memory.collected import SkippedCard

MAX_FILE_BYTES = 64 * 1024 * 1024
"""The largest file that a reader takes into memory."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file below the root.

    Attributes:
        path: where to open it.
        name: its path from the root, with forward slashes; of a root that is a file, the file's own name.
    """

    path: Path
    name: str

    def read(self) -> bytes:
        """Its bytes.

        Raises:
            OSError: it cannot be read.
        """
        with self.path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)


def find_files(root: str | os.PathLike[str], suffixes: Sequence[str]) -> Iterator[SourceFile | SkippedCard]:
    """Find the files with one of these endings, by name; what cannot be read is named with its reason.

    Hidden files and folders (their names begin with a dot) are passed over; links are not followed.

    Raises:
        InvalidInput: there is no such folder or file.
    """
    base = Path(root)
    if base.is_file():
        yield _judge(base, base.name, base.stat())
        return
    if not base.is_dir():
        raise InvalidInput(f"{os.fspath(root)!r} is neither a folder nor a file; give the one to read", field="root")
    yield from sorted(_walk(base, suffixes), key=_place)


def _place(found: SourceFile | SkippedCard) -> str:
    return found.name if isinstance(found, SourceFile) else found.place


def _walk(base: Path, suffixes: Sequence[str]) -> Iterator[SourceFile | SkippedCard]:
    failed: list[OSError] = []
    for folder, folders, names in os.walk(base, onerror=failed.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in linked:
            yield SkippedCard(_name(base, folder, name), "is a link to a folder; links are not followed")
        for name in names:
            if not name.startswith(".") and name.lower().endswith(tuple(suffixes)):
                yield _look(Path(folder, name), _name(base, folder, name))
    for error in failed:
        yield SkippedCard(_name(base, error.filename or "", ""), f"cannot be listed: {error.strerror or error}")


def _name(base: Path, folder: str, name: str) -> str:
    """The path from the root with forward slashes; what no text can hold is shown as U+FFFD."""
    relative = os.path.relpath(os.path.join(folder, name), base).replace(os.sep, "/")
    return os.fsencode(relative).decode("utf-8", "replace")


def _look(path: Path, name: str) -> SourceFile | SkippedCard:
    try:
        return _judge(path, name, path.lstat())
    except OSError as error:
        return SkippedCard(name, f"cannot be read: {error.strerror or error}")


def _judge(path: Path, name: str, found: os.stat_result) -> SourceFile | SkippedCard:
    for wrong, reason in (
        (stat.S_ISLNK(found.st_mode), "is a link; links are not followed"),
        (not stat.S_ISREG(found.st_mode), "is no ordinary file"),
        (found.st_size > MAX_FILE_BYTES, f"is larger than {MAX_FILE_BYTES:,} bytes, the most that is read; split it"),
        ("\ufffd" in name, "has a name that is not UTF-8; rename it"),
    ):
        if wrong:
            return SkippedCard(name, reason)
    return SourceFile(path, name)
