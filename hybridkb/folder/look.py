"""What a refresh has to do: one look at the folder against what is known of its files. Nothing is written."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from hybridkb.errors import InvalidInput
from hybridkb.folder.ignore import read_ignored
from hybridkb.folder.reading import NotReadNow, read_bytes
from hybridkb.folder.report import FileNote, reason_of, shown
from hybridkb.folder.scan import FoundFile, Scan, scan_folder
from hybridkb.folder.settings import FolderSettings
from hybridkb.store.files import FileRow, FolderRow, storable

RACY_NS = 2_000_000_000
"""A file changed so shortly before it was read may change again without its times telling: clocks of file systems
tick as slowly as every two seconds."""


class RootTrouble(Exception):
    """The folder is not there, or not as it should be: nothing is refreshed. The text says what and what to do."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the library knows of a folder.

    Attributes:
        generation: of the library; while it stays, all of this does.
        folder: the folder; None when the collection was never read.
        rows: its files, by path.
        out_of_step: indexed files whose text searches do not see.
    """

    generation: int
    folder: FolderRow | None
    rows: dict[str, FileRow]
    out_of_step: frozenset[str]


@dataclass(slots=True)
class Look:
    """The folder as it is against the files as they are known.

    Attributes:
        scan: what is there.
        device, inode: of the folder.
        settings: how it is to be read now.
        folder: the folder as it was; None when this collection was never read.
        rows: what is known of its files, by path.
        unchanged: indexed files that need no reading.
        to_read: files to read, by path.
        missing: indexed files that are gone.
        kept: indexed files out of sight.
        forced: indexed files whose text searches do not see now, whoever took it out.
        moved: whether the folder is to be taken as it is.
        notes: what is remarkable about the folder.
    """

    scan: Scan
    device: int
    inode: int
    settings: FolderSettings
    folder: FolderRow | None
    rows: dict[str, FileRow]
    unchanged: set[str] = field(default_factory=set)
    to_read: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    forced: frozenset[str] = frozenset()
    moved: bool = False
    notes: list[FileNote] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        """Whether there is nothing to write."""
        same = self.folder is not None and (
            (self.folder.root, self.folder.device, self.folder.inode) == (self.scan.root, self.device, self.inode)
            and self.folder.settings == self.settings.as_json()
        )
        return same and not self.to_read and not self.missing

    @property
    def changed(self) -> bool:
        """Whether the index does not show the folder as it is; files that may have changed are read to tell."""
        return bool(self.missing) or not all(self._is_same(path) for path in self.to_read)

    def _is_same(self, path: str) -> bool:
        row = self.rows.get(path)
        if row is None or row.state == "gone" or row.reader != self.settings.reader or path in self.forced:
            return False
        return _same_bytes(row, self.scan.files[path], self.settings.max_bytes)

    def compare(self, rows: dict[str, FileRow]) -> None:
        """Compare what is there with what is known."""
        self.rows = rows
        self.to_read, self.unchanged, self.missing, self.kept = [], set(), [], []
        readers = (self.settings.reader, self.settings.lacking_reader)
        for path, found in self.scan.files.items():
            row = rows.get(path)
            if row is None or row.reader not in readers or path in self.forced or not is_unchanged(row, found):
                self.to_read.append(path)
            elif row.state == "indexed":
                self.unchanged.add(path)
        self.to_read.sort()
        self._sort_out(row for path, row in rows.items() if path not in self.scan.files and row.state != "gone")

    def _sort_out(self, absent: Iterable[FileRow]) -> None:
        """Tell files that are gone from those that are only out of sight."""
        renumbered = self._renumbered()
        unmounted: Counter[str] = Counter()
        for row in sorted(absent, key=lambda row: row.path):
            if self.scan.hides(row.path):
                self.kept.append(row.path)
            elif not self.moved and row.device not in renumbered and row.device != self.scan.device_above(row.path):
                self.kept.append(row.path)
                unmounted[row.path.rpartition("/")[0]] += 1
            else:
                self.missing.append(row.path)
        for place, count in unmounted.items():
            self.scan.unlisted.append(
                FileNote(place + "/", f"{count:,} indexed files lay on another device, which is not mounted; kept")
            )

    def _renumbered(self) -> set[int | None]:
        """Devices that only have another number now, as after a restart: files that lay on them are still there.

        A file of the same name proves nothing: where a drive is mounted there may be one that says so.
        """
        rows = ((self.rows.get(path), found) for path, found in self.scan.files.items())
        numbers = {row.device for row, found in rows if row is not None and _is_on_another_device(row, found)}
        if self.folder is not None and self.folder.inode == self.inode and self.folder.device != self.device:
            numbers.add(self.folder.device)
        return {None, *numbers}


def look_at(root: str, known: Known, given: dict[str, object], *, moved: bool) -> Look:
    """Compare the folder with what is known of it.

    Args:
        root: path of the folder.
        known: what the library knows of it.
        given: settings that the caller gave; the others are those of the last refresh.
        moved: take the folder as it is, also when it is another than before or looks unmounted.

    Raises:
        RootTrouble: the folder is not there, cannot be listed, or looks unmounted.
        InvalidInput: it is another folder than the one that was read, or a setting cannot be.
        UnreadableDocument, MissingExtra: its ignore patterns cannot be read.
    """
    folder, rows = known.folder, known.rows
    settings = (FolderSettings.stored(folder.settings) if folder else FolderSettings()).changed(**given)
    real = os.path.realpath(root)
    before = _status(root, real)
    try:
        scan = scan_folder(real, read_ignored(real, settings.ignore), settings.max_bytes)
    except OSError as error:
        raise RootTrouble(f"the folder {shown(root)} cannot be listed: {reason_of(error)}") from error
    status = _status(root, real)
    if (before.st_dev, before.st_ino) != (status.st_dev, status.st_ino):
        raise RootTrouble(f"the folder {shown(root)} was replaced while it was looked at; the next refresh looks again")
    look = Look(
        scan, storable(status.st_dev), storable(status.st_ino), settings, folder, rows, forced=known.out_of_step,
        moved=moved,
    )  # fmt: skip
    if folder is not None and not moved:
        _refuse_another_root(look, folder)
    look.compare(rows)
    return look


def _status(root: str, real: str) -> os.stat_result:
    try:
        status = os.stat(real)
    except FileNotFoundError:
        raise RootTrouble(
            f"the folder {shown(root)} is not there: is a drive not mounted, or was it moved (then give its new path)?"
        ) from None
    except OSError as error:
        raise RootTrouble(f"the folder {shown(root)} cannot be looked at: {reason_of(error)}") from error
    if not stat.S_ISDIR(status.st_mode):
        raise RootTrouble(f"{shown(root)} is no folder")
    return status


def _refuse_another_root(look: Look, folder: FolderRow) -> None:
    """Tell a folder that was moved from another one, and one that was emptied from one that is not mounted."""
    live = [row for row in look.rows.values() if row.state == "indexed"]
    if not live:
        return
    replaced = (folder.device, folder.inode) != (look.device, look.inode)
    if folder.root != look.scan.root:
        _refuse_other_files(look, folder, live)
        look.notes.append(FileNote("", f"the folder was moved here from {shown(folder.root)}"))
    elif replaced and not any(row.path in look.scan.files for row in live):
        raise RootTrouble(
            f"the folder {shown(look.scan.root)} holds none of the {len(live):,} files that were indexed, and is not "
            "the folder it was: is a drive not mounted? If it was emptied on purpose, say so with moved=True (--moved)"
        )


def _refuse_other_files(look: Look, folder: FolderRow, live: list[FileRow]) -> None:
    same = sum(_same_bytes(row, look.scan.files.get(row.path), look.settings.max_bytes) for row in live)
    if 2 * same < len(live):
        raise InvalidInput(
            f"the collection {folder.collection!r} was read from {shown(folder.root)}, and {shown(look.scan.root)} "
            f"holds {same:,} of its {len(live):,} files; is it the same folder, moved? Then say so with moved=True "
            "(--moved). If not, give it a collection of its own (--collection NAME) or another library",
            field="folder",
        )


def _same_bytes(row: FileRow, found: FoundFile | None, max_bytes: int) -> bool:
    if found is None or found.size != row.size:
        return False
    if is_unchanged(row, found):
        return True
    try:
        return hashlib.sha256(read_bytes(found, max_bytes).data).digest() == row.content_hash
    except (OSError, NotReadNow):
        return False


def _is_on_another_device(row: FileRow, found: FoundFile) -> bool:
    """Whether a file is what it was, and only its device has another number."""
    return row.device != found.device and (row.size, row.modified_ns) == (found.size, found.modified_ns)


def is_unchanged(row: FileRow, found: FoundFile) -> bool:
    """Whether size and times prove that the bytes are those that were read."""
    if row.read_ns is None or row.state == "gone":
        return False
    if row.modified_ns != found.modified_ns or row.changed_ns != found.changed_ns or row.size != found.size:
        return False
    return abs(row.read_ns - found.modified_ns) > RACY_NS and abs(row.read_ns - found.changed_ns) > RACY_NS
