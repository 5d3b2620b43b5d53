"""Opens a file by its real path, and nothing else: no link that took the place of any part of the path is followed."""

from __future__ import annotations

import os

_COMMON = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE = (
    _COMMON
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that took the file's place makes nobody wait
    | getattr(os, "O_NOFOLLOW_ANY", 0)  # macOS: no link anywhere in the path
    | getattr(os, "O_BINARY", 0)
)
_FOLDER = _COMMON | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", 0)  # O_PATH: no right to list is needed
_STEP_BY_STEP = os.open in os.supports_dir_fd and not hasattr(os, "O_NOFOLLOW_ANY")


class PathReplaced(OSError):
    """A folder in the path is no folder any more, maybe a link to elsewhere."""


def open_real(path: str) -> int:
    """Open a real path for reading and return its handle, which the caller closes.

    Folder by folder where the system allows it, so that a folder exchanged for a link between a scan and the reading
    leads nowhere. Whoever exchanges folders can write to them, but may not be allowed to read what the link leads to.

    Raises:
        PathReplaced: a folder in the path is a link or a file now.
        OSError: the file is not there, is a link, or may not be opened.
    """
    folder, name = os.path.split(path)
    if not _STEP_BY_STEP or not os.path.isabs(folder):
        return os.open(path, _FILE)
    handle = _open_folder(folder)
    try:
        return os.open(name, _FILE, dir_fd=handle)
    finally:
        os.close(handle)


def _open_folder(path: str) -> int:
    handle = os.open(os.sep, _FOLDER)
    for name in path.split(os.sep):
        if not name:
            continue
        try:
            below = os.open(name, _FOLDER, dir_fd=handle)
        except NotADirectoryError as error:
            raise PathReplaced(error.errno, "a folder in its path was replaced; the next refresh looks again") from None
        finally:
            os.close(handle)
        handle = below
    return handle
