"""What a refresh did, file by file where something was not as it should be."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple


class FileNote(NamedTuple):
    """A file or folder, by its path relative to the root, and what there is to say about it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class RefreshCounts:
    """What one refresh did; two are equal when their first four values are.

    Attributes:
        indexed: files indexed because they were new or changed.
        removed: files whose text left today's answers: deleted, renamed, ignored or unreadable from now on.
        passages: passages in the index afterwards.
        unreadable: files and folders that could not be read, and why; those of earlier refreshes too, while they
            last. What was indexed below a folder that cannot be listed, or of a file that cannot be opened, is kept.
        renamed: files, counted among both indexed and removed, that were found again under another path.
        unchanged: files that were left as they were.
        files: files in the index afterwards.
        skipped: what is not meant to be indexed, and why: hidden, ignored, too large, of another kind, a link.
        notes: what was degraded while files were read, or is remarkable about them.
        kept: indexed files that are out of sight and were kept, such as those below a folder that cannot be listed.
        folder_missing: why nothing was refreshed: the folder is not there, cannot be listed, or looks unmounted.
        busy: why nothing was refreshed: another process is at it and did not end in time.
        waited: seconds spent waiting for another process.
        embedded: texts sent to the embedder.
        pending: texts that still have no vector, in the whole library.
        degraded: why texts have no vector, when that will not end by itself.
        seconds: time taken.
    """

    indexed: int = 0
    removed: int = 0
    passages: int = 0
    unreadable: list[FileNote] = field(default_factory=list)
    renamed: int = field(default=0, compare=False)
    unchanged: int = field(default=0, compare=False)
    files: int = field(default=0, compare=False)
    skipped: list[FileNote] = field(default_factory=list, compare=False)
    notes: list[FileNote] = field(default_factory=list, compare=False)
    kept: int = field(default=0, compare=False)
    folder_missing: str | None = field(default=None, compare=False)
    busy: str | None = field(default=None, compare=False)
    waited: float = field(default=0.0, compare=False)
    embedded: int = field(default=0, compare=False)
    pending: int = field(default=0, compare=False)
    degraded: str | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class FolderSummary:
    """A folder of documents that a library is kept in step with.

    Attributes:
        collection: its name.
        root: where it was when it was read last.
        changed_at: when a refresh last wrote something (UTC).
        files, passages: how many are in the index.
        unreadable: files whose bytes could not be read.
    """

    collection: str
    root: str
    changed_at: datetime
    files: int
    passages: int
    unreadable: int


def shown(path: str) -> str:
    """A path as text that anything can hold: bytes that are no UTF-8 become U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def reason_of(error: OSError) -> str:
    """What the operating system says, in its own words."""
    return (error.strerror or str(error) or type(error).__name__).lower()
