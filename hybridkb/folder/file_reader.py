"""One file after the other: its bytes, what they say, what that was called before."""

from __future__ import annotations

import hashlib
from collections import defaultdict

from hybridkb.documents import ReadDocument
from hybridkb.errors import InvalidInput, MissingExtra
from hybridkb.folder.batch import Batch, Done, Ready
from hybridkb.folder.document_item import document_id, make_document
from hybridkb.folder.look import Look
from hybridkb.folder.reading import NotReadNow, read_bytes
from hybridkb.folder.report import reason_of, shown
from hybridkb.folder.scan import FoundFile
from hybridkb.folder.times import information_cutoff, wanted_availability
from hybridkb.knowledge import Document
from hybridkb.store.files import FileRow

_BLANK = "".join(map(chr, range(33)))  # what records show as space


class FileReader:
    """Reads the files that a look names.

    Attributes:
        missing: indexed files that are gone and were not found under another name, by path.
    """

    def __init__(self, look: Look, collection: str, zone: str) -> None:
        """Keep how the files are to be read."""
        self._look = look
        self._collection = collection
        self._zone = zone
        self._held = _by_content(look)
        self.missing = {path: look.rows[path] for path in look.missing}

    def read(self, found: FoundFile, batch: Batch, done: Done) -> None:
        """Read one file into the batch, or note why not."""
        old = self._look.rows.get(found.path)
        try:
            read = read_bytes(found, self._look.settings.max_bytes)
        except FileNotFoundError:
            done.say(found.path, "vanished before it was read")
            if old is not None and old.state != "gone":
                self.missing[found.path] = old
            return
        except OSError as error:
            done.say(found.path, f"cannot be read: {reason_of(error)}")
            return
        except NotReadNow as error:
            done.say(found.path, str(error))
            return
        row = FileRow(
            found.path, "indexed", read.size, read.modified_ns, read.changed_ns, found.device, read.read_ns,
            hashlib.sha256(read.data).digest(), str(document_id(self._collection, found.path)),
            reader=self._look.settings.reader,
        )  # fmt: skip
        if old is not None and self._is_same(old, row):
            batch.rows.append(_touched(old, row))
            done.touched += old.state == "indexed"
            return
        try:
            self._prepare(row, old, read.data, batch)
        except MissingExtra as error:  # not the file's fault: it is read again when other packages are there
            self._refuse(row._replace(reader=self._look.settings.lacking_reader), old, str(error), batch)
        except InvalidInput as error:
            self._refuse(row, old, str(error), batch)
        except Exception as error:  # whatever a parser does with a strange file, the others are read
            reason = f"the reader failed with {type(error).__name__}: {error}; please report it"
            self._refuse(row, old, reason, batch)

    def document(self, row: FileRow, read: ReadDocument, available_at: int | None) -> Document:
        """The item of a file that was read, observable since then (microseconds since 1970 UTC)."""
        assert row.modified_ns is not None
        assert row.content_hash is not None
        return make_document(
            read,
            collection=self._collection,
            path=row.path,
            content_hash=row.content_hash,
            as_of=information_cutoff(read.front_matter, row.path, row.modified_ns, available_at, self._zone),
            available_at=available_at,
        )

    def _is_same(self, old: FileRow, row: FileRow) -> bool:
        if old.state == "gone" or row.path in self._look.forced:
            return False
        return (old.content_hash, old.reader) == (row.content_hash, row.reader)

    def _prepare(self, row: FileRow, old: FileRow | None, data: bytes, batch: Batch) -> None:
        from hybridkb.documents.reading import read_document  # the readers are loaded when there is something to read

        settings = self._look.settings
        read = read_document(data, shown(row.path), zone=self._zone, passage_characters=settings.passage_characters)
        if not any(passage.text.strip(_BLANK) for passage in read.passages):
            self._refuse(row, old, "; ".join(read.notes) or "holds no text", batch)
            return
        assert row.modified_ns is not None
        wanted = wanted_availability(read.front_matter, row.path, row.modified_ns, settings.availability, self._zone)
        row = row._replace(passages=len(read.passages), notes=read.notes)
        ready = Ready(row, read, wanted, self.document(row, read, wanted), old)
        self._find_old_name(ready)
        batch.ready.append(ready)
        batch.characters += sum(len(passage.text) for passage in read.passages)

    def _refuse(self, row: FileRow, old: FileRow | None, reason: str, batch: Batch) -> None:
        """Note a file whose bytes cannot be read; its former text, if any, is not what it says now."""
        if old is not None and old.state == "indexed":
            batch.stale.append(old)
        batch.rows.append(row._replace(state="unreadable", passages=0, reason=reason, notes=()))

    def _find_old_name(self, ready: Ready) -> None:
        """Find the name under which the library showed these bytes before: that of a missing file, if there is one."""
        assert ready.row.content_hash is not None
        others = [path for path in sorted(self._held.get(ready.row.content_hash, ())) if path != ready.row.path]
        ready.elsewhere = bool(others)
        for path in others:
            if path in self.missing and self.missing[path].state == "indexed":
                ready.moved_from = self.missing.pop(path)
                return


def _by_content(look: Look) -> dict[bytes, list[str]]:
    """Files that are not certain to hold still what they held, by what that was; those long gone too."""
    held: dict[bytes, list[str]] = defaultdict(list)
    for path, row in look.rows.items():
        if row.state != "unreadable" and row.content_hash and path not in look.unchanged:
            held[row.content_hash].append(path)
    return held


def _touched(old: FileRow, row: FileRow) -> FileRow:
    """What is known of a file whose bytes are what they were: its size and times as they are now."""
    return old._replace(
        size=row.size, modified_ns=row.modified_ns, changed_ns=row.changed_ns, device=row.device, read_ns=row.read_ns
    )
