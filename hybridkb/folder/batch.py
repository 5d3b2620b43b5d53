"""Files on their way into the library, and what became of those that arrived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hybridkb.documents import ReadDocument
from hybridkb.folder.report import FileNote
from hybridkb.knowledge import Document
from hybridkb.store.files import FileRow

BATCH_FILES = 200
BATCH_CHARACTERS = 4_000_000


@dataclass(slots=True)
class Ready:
    """A file that was read and is to be put.

    Attributes:
        row: what is to be known of it.
        read: what it holds.
        wanted: when it says, or the setting says, that it became observable (microseconds); None is unknown.
        document: the item it would be if nothing were known of it.
        old: what was known of it.
        moved_from: the file that is gone and whose bytes it holds.
        elsewhere: whether the library showed these bytes under another name that may not hold them any more.
    """

    row: FileRow
    read: ReadDocument
    wanted: int | None
    document: Document
    old: FileRow | None
    moved_from: FileRow | None = None
    elsewhere: bool = False


@dataclass(slots=True)
class Batch:
    """What goes into one transaction.

    Attributes:
        ready: files to put.
        rows: files of which only what is known changes.
        stale: indexed files whose bytes are others now, and unreadable: their text is withdrawn.
        characters: of what is ready.
        saved, forgotten: what the transaction made of the file rows.
    """

    ready: list[Ready] = field(default_factory=list)
    rows: list[FileRow] = field(default_factory=list)
    stale: list[FileRow] = field(default_factory=list)
    characters: int = 0
    saved: list[FileRow] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Whether it is large enough for a transaction."""
        return len(self.ready) + len(self.rows) >= BATCH_FILES or self.characters >= BATCH_CHARACTERS


@dataclass(slots=True)
class Done:
    """What a refresh did so far.

    Attributes:
        rows: what is known of the files now, by path.
        indexed, removed, renamed, embedded, degraded: as in :class:`~hybridkb.folder.report.RefreshCounts`.
        touched: indexed files that turned out to be unchanged.
        unread: files that could not be read this time, and why.
    """

    rows: dict[str, FileRow]
    indexed: int = 0
    removed: int = 0
    renamed: int = 0
    embedded: int = 0
    degraded: str | None = None
    touched: int = 0
    unread: list[FileNote] = field(default_factory=list)

    def keep(self, rows: Sequence[FileRow], forgotten: Sequence[str]) -> None:
        """Take in what was committed."""
        self.rows.update((row.path, row) for row in rows)
        for path in forgotten:
            self.rows.pop(path, None)

    def say(self, path: str, reason: str) -> None:
        """Note a file that could not be read."""
        self.unread.append(FileNote(path, reason))
