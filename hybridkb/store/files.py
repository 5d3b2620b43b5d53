"""What is known of the files of a folder: enough to leave an unchanged one unread. Derived; lost, it is made anew."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from hybridkb.database import Connection

State = Literal["indexed", "unreadable", "gone"]

_LARGEST = 2**63 - 1  # what SQLite keeps in an integer


@dataclass(frozen=True, slots=True)
class FolderRow:
    """The folder that a collection is read from.

    Attributes:
        folder_no: its number.
        collection: the name under which it is kept in step.
        root: its real path.
        device, inode: of the folder when it was read last.
        settings: how it was read last, as JSON.
        changed_at: when a refresh last wrote something (microseconds since 1970 UTC).
    """

    folder_no: int
    collection: str
    root: str
    device: int
    inode: int
    settings: str
    changed_at: int


class FileRow(NamedTuple):
    """One file below a folder.

    Attributes:
        path: relative, with forward slashes, exact: two names that look alike are two files.
        state: ``"indexed"``, ``"unreadable"`` or ``"gone"``.
        size, modified_ns, changed_ns, device: of the bytes that were read; None asks for a new reading.
        read_ns: when they were read (nanoseconds since 1970 UTC).
        content_hash: SHA-256 of the bytes.
        item_id: the item that the file is, or would be.
        item_hash: content hash of the item's newest revision.
        passages: how many passages it gave.
        reader: names the way it was read; read in another way, it may give other passages.
        reason: why it is unreadable.
        notes: what was degraded while it was read.
    """

    path: str
    state: State
    size: int | None
    modified_ns: int | None
    changed_ns: int | None
    device: int | None
    read_ns: int | None
    content_hash: bytes | None
    item_id: str
    item_hash: bytes | None = None
    passages: int = 0
    reader: str = ""
    reason: str | None = None
    notes: tuple[str, ...] = ()


def load_folder(connection: Connection, collection: str) -> FolderRow | None:
    """Read the folder of a collection; None when it was never read."""
    row = connection.row("files/folder", {"collection": collection})
    return None if row is None else FolderRow(row[0], row[1], os.fsdecode(row[2]), row[3], row[4], row[5], row[6])


def save_folder(
    connection: Connection, collection: str, *, root: str, device: int, inode: int, settings: str, now: int
) -> FolderRow:
    """Keep a collection's folder, inside the caller's write transaction."""
    values = {"root": os.fsencode(root), "device": storable(device), "inode": storable(inode)}
    connection.rows("files/put_folder", {**values, "collection": collection, "settings": settings, "changed_at": now})
    saved = load_folder(connection, collection)
    assert saved is not None
    return saved


def load_files(connection: Connection, folder_no: int) -> dict[str, FileRow]:
    """Read what is known of a folder's files, by path."""
    rows = connection.rows("files/of_folder", {"folder_no": folder_no})
    return {(path := os.fsdecode(row[0])): FileRow._make((path, *row[1:13], _notes(row[13]))) for row in rows}


def save_files(connection: Connection, folder_no: int, rows: Iterable[FileRow]) -> None:
    """Keep what is known of some files, inside the caller's write transaction."""
    connection.many("files/put", (_bindings(folder_no, row) for row in rows))


def forget_files(connection: Connection, folder_no: int, paths: Iterable[str]) -> None:
    """Forget some files, inside the caller's write transaction."""
    connection.many("files/delete", ((folder_no, os.fsencode(path)) for path in paths))


def files_out_of_step(connection: Connection, folder_no: int) -> set[str]:
    """Paths of indexed files whose text searches do not see now."""
    return {os.fsdecode(path) for (path,) in connection.rows("files/out_of_step", {"folder_no": folder_no})}


def storable(number: int) -> int:
    """Bring a number that names something for the operating system into what the database keeps."""
    return number if -_LARGEST <= number <= _LARGEST else number % _LARGEST


def storable_time(nanoseconds: int) -> int:
    """Bring a file's time into what the database keeps: the years 1678 to 2262."""
    return max(-_LARGEST, min(nanoseconds, _LARGEST))


def _bindings(folder_no: int, row: FileRow) -> tuple[Any, ...]:
    return (
        folder_no, os.fsencode(row.path), row.state, row.size, row.modified_ns, row.changed_ns, row.device,
        row.read_ns, row.content_hash, row.item_id, row.item_hash, row.passages, row.reader, row.reason,
        json.dumps(row.notes) if row.notes else "[]",
    )  # fmt: skip


def _notes(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))
