"""One look at a folder: every file that may be indexed, with its size and times, and why others may not.

Nothing is opened. Links are followed last, and only to what lies below the root and was not met under a name of
its own: nothing is indexed twice, no loop is walked twice, nothing outside is read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from hybridkb.documents import INDEXED_SUFFIXES
from hybridkb.folder.ignore import Ignored, is_hidden, is_temporary
from hybridkb.folder.report import FileNote, reason_of
from hybridkb.store.files import storable, storable_time

_SUFFIXES = frozenset(INDEXED_SUFFIXES)


class FoundFile(NamedTuple):
    """A file that may be indexed.

    Attributes:
        path: relative to the root, with forward slashes.
        real: the path to open; another than the root's and ``path``'s where a link leads to it.
        size: bytes.
        modified_ns, changed_ns: last change of the bytes, and of anything (nanoseconds since 1970 UTC).
        device: the device of the folder it was met in.
    """

    path: str
    real: str
    size: int
    modified_ns: int
    changed_ns: int
    device: int


@dataclass(slots=True)
class Scan:
    """What a look at a folder found.

    Attributes:
        root: real path of the folder.
        files: those that may be indexed, by relative path.
        folders: device of every folder that was listed, by relative path; the root's is empty.
        skipped: what is not meant to be indexed, and why.
        unlisted: folders and files that could not be looked at, and why; folders end with a slash.
    """

    root: str
    files: dict[str, FoundFile] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    skipped: list[FileNote] = field(default_factory=list)
    unlisted: list[FileNote] = field(default_factory=list)

    def hides(self, path: str) -> bool:
        """Whether a path that was not found may be there all the same: below a folder that could not be listed."""
        return any(path == place or (place.endswith("/") and path.startswith(place)) for place, _ in self.unlisted)

    def device_above(self, path: str) -> int:
        """The device of the nearest folder above a path that was listed."""
        while path:
            path = path.rpartition("/")[0]
            if path in self.folders:
                return self.folders[path]
        return self.folders.get("", 0)


def scan_folder(root: str, ignored: Ignored | None, max_bytes: int) -> Scan:
    """Look at everything below ``root``, a real path, except what is hidden or ignored.

    Raises:
        OSError: the root itself cannot be listed.
    """
    walk = _Walk(Scan(root), ignored, max_bytes)
    walk.tree("", root)
    walk.follow_links()
    return walk.scan


class _Walk:
    """The state of one scan."""

    def __init__(self, scan: Scan, ignored: Ignored | None, max_bytes: int) -> None:
        self.scan = scan
        self._ignored = ignored
        self._max_bytes = max_bytes
        self._links: list[tuple[str, str]] = []  # (relative path, path)
        self._walked: set[str] = set()  # real paths of folders
        self._taken: set[str] = set()  # real paths of files

    def tree(self, relative: str, real: str) -> None:
        """Walk a folder and everything below it; ``real`` is its real path."""
        waiting = [(relative, real)]
        while waiting:
            here, path = waiting.pop()
            self._walked.add(path)
            try:
                with os.scandir(path) as entries:
                    listed = list(entries)
                device = os.stat(path).st_dev
                replaced = self._was_replaced(path)
            except FileNotFoundError:
                if not here:
                    raise
                continue  # gone since its parent was listed
            except OSError as error:
                if not here:
                    raise
                self.scan.unlisted.append(FileNote(here + "/", f"the folder cannot be listed: {reason_of(error)}"))
                continue
            if replaced:  # what was listed may lie outside: not even its names are told
                if not here:
                    raise NotADirectoryError(errno.ENOTDIR, "it was replaced while it was looked at")
                self.scan.unlisted.append(FileNote(here + "/", "the folder was replaced while it was looked at"))
                continue
            self.scan.folders[here] = device = storable(device)
            waiting.extend(self._entries(here + "/" if here else "", listed, device))

    def _was_replaced(self, path: str) -> bool:
        """Whether a folder, or one between it and the root, is a link now."""
        while len(path) >= len(self.scan.root) > 1:
            if stat.S_ISLNK(os.lstat(path).st_mode):
                return True
            path = path.rpartition(os.sep)[0]
        return False

    def _entries(self, prefix: str, entries: list[os.DirEntry[str]], device: int) -> Iterator[tuple[str, str]]:
        """Sort the entries of a folder; yields the folders among them."""
        for entry in entries:
            path = prefix + entry.name
            try:
                if self._passed_over(entry, path):
                    continue
                if entry.is_file(follow_symlinks=False):
                    if self._is_indexed(entry.name, path):
                        self._take(path, entry.path, entry.stat(follow_symlinks=False), device)
                elif entry.is_dir(follow_symlinks=False):
                    yield path, entry.path
                elif entry.is_symlink():
                    self._links.append((path, entry.path))
                else:
                    self._skip(path, "no regular file")
            except FileNotFoundError:
                continue
            except OSError as error:
                self.scan.unlisted.append(FileNote(path, f"cannot be looked at: {reason_of(error)}"))

    def _passed_over(self, entry: os.DirEntry[str], path: str) -> bool:
        attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0) if os.name == "nt" else 0
        if is_hidden(entry.name, attributes):
            return self._skip(path, "hidden")
        if self._ignored is None:
            return False
        slash = "/" if entry.is_dir(follow_symlinks=False) else ""
        if not any(self._ignored(name + slash) for name in {path, self._inside(entry.path)}):
            return False
        return self._skip(path, "ignored by a pattern")

    def _inside(self, real: str) -> str:
        """The path relative to the root of what lies below it; another than the one shown below a link."""
        return real[len(self.scan.root) :].replace(os.sep, "/").lstrip("/")

    def _is_indexed(self, name: str, path: str) -> bool:
        _, dot, ending = name.rpartition(".")
        if is_temporary(name):
            return not self._skip(path, "a temporary or lock file")
        if dot + ending.lower() not in _SUFFIXES:
            kind = f"files ending in .{ending.lower()}" if dot else "files without an ending"
            return not self._skip(path, f"{kind} are not indexed")
        return True

    def _take(self, path: str, real: str, status: os.stat_result, device: int) -> None:
        if status.st_size > self._max_bytes:
            self._skip(path, f"larger than {self._max_bytes:,} bytes ({status.st_size:,})")
            return
        if real in self._taken:
            self._skip(path, "a link to a file that is read under another name")
            return
        self._taken.add(real)
        times = storable_time(status.st_mtime_ns), storable_time(status.st_ctime_ns)
        self.scan.files[path] = FoundFile(path, real, status.st_size, *times, device)

    def _skip(self, path: str, reason: str) -> bool:
        self.scan.skipped.append(FileNote(path, reason))
        return True

    # --- links --------------------------------------------------------------------------------------------------

    def follow_links(self) -> None:
        """Follow the links met, by name; those met on the way too."""
        while self._links:
            self._links.sort(reverse=True)
            self._follow(*self._links.pop())

    def _follow(self, path: str, link: str) -> None:
        try:
            real = os.path.realpath(link, strict=True)
            status = os.stat(real, follow_symlinks=False)
        except OSError:
            self._skip(path, "a link that leads nowhere")
            return
        inside = self._inside(real)
        if not self._below_root(real):
            self._skip(path, "a link that leads out of the folder; not followed")
        elif self._ignored is not None and (self._ignored(inside) or self._ignored(inside + "/")):
            self._skip(path, "a link to what a pattern ignores")
        elif stat.S_ISDIR(status.st_mode):
            self._follow_folder(path, real)
        elif not stat.S_ISREG(status.st_mode):
            self._skip(path, "a link to no regular file")
        elif self._is_indexed(path.rpartition("/")[2], path):
            self._take(path, real, status, self.scan.device_above(path))

    def _follow_folder(self, path: str, real: str) -> None:
        if real in self._walked:
            self._skip(path, "a link to a folder that is read under another name")
        else:
            self.tree(path, real)

    def _below_root(self, real: str) -> bool:
        root = self.scan.root
        return real == root or real.startswith(root if root.endswith(os.sep) else root + os.sep)
