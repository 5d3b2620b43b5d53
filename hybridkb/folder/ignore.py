"""Which names are passed over: hidden, temporary, ignored by a pattern."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Callable

from hybridkb.errors import InvalidInput, MissingExtra, UnreadableDocument
from hybridkb.folder.opening import open_real

IGNORE_FILE = ".hybridkbignore"

_MOST_IGNORE_BYTES = 1024 * 1024
_WINDOWS_HIDDEN = 2

Ignored = Callable[[str], bool]
"""Tells whether a relative path is ignored; that of a folder ends with a slash."""


def is_hidden(name: str, attributes: int = 0) -> bool:
    """Whether a file or folder is hidden: by a dot in front, or by Windows."""
    return name.startswith(".") or bool(attributes & _WINDOWS_HIDDEN)


def is_temporary(name: str) -> bool:
    """Whether a name is that of an editor's or office program's lock or unfinished copy."""
    return name.startswith(("~$", ".~", "#")) or name.endswith(("~", "#"))


def read_ignored(root: str, patterns: tuple[str, ...]) -> Ignored | None:
    """Compile the patterns given and those of the folder's ``.hybridkbignore``; None when there are none.

    Raises:
        InvalidInput: a pattern is none; the text names it.
        UnreadableDocument: the file is there and cannot be read: nothing may be indexed that it would keep out.
        MissingExtra: patterns need the extra ``folder``.
    """
    lines = [*_file_lines(os.path.join(root, IGNORE_FILE)), *patterns]
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    try:
        from pathspec import GitIgnoreSpec
    except ImportError as error:
        raise MissingExtra(
            'ignore patterns need the package pathspec, which is not installed: pip install "hybridkb[folder]"',
            extra="folder",
        ) from error
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            raise InvalidInput(
                f"{line!r} is no ignore pattern ({error}); write it as in .gitignore", field="ignore"
            ) from error
    return GitIgnoreSpec.from_lines(lines).match_file


def _file_lines(path: str) -> list[str]:
    """The lines of the ignore file; none when there is no file."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise UnreadableDocument(f"{path} is no regular file; replace it by one", path=path)
        with open(open_real(path), "rb") as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(_MOST_IGNORE_BYTES + 1) if regular else b""
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UnreadableDocument(
            f"{path} cannot be read ({error.strerror}), so nothing says what to leave out; mend its permissions",
            path=path,
        ) from error
    if not regular:
        raise UnreadableDocument(f"{path} is no regular file; replace it by one", path=path)
    if len(data) > _MOST_IGNORE_BYTES:
        raise UnreadableDocument(f"{path} is larger than 1 MiB; shorten it", path=path)
    return _decoded(data, path).splitlines()


def _decoded(data: bytes, path: str) -> str:
    """The text of the ignore file; names in it may be any bytes. PowerShell writes UTF-16, with a mark."""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding, "strict" if encoding == "utf-16" else "surrogateescape")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UnreadableDocument(
            f"{path} is no text, so nothing says what to leave out; save it as UTF-8", path=path
        )
    return text
