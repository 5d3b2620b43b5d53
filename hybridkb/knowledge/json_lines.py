"""JSON Lines: knowledge as a file of lines, in and out.

A line is an item (the bare object, or under ``"item"``), or something that happened to
one: ``{"withdrawal": {"id", "at"}}`` or ``{"purge": {"id", "at", "reason"}}``. Of a paper there are
also the parts of its bytes, ``{"blob": ...}``, and which of its artifacts are current,
``{"current": {"id"}}``. A line that cannot be read is reported with its number, and reading goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias
from uuid import UUID

from pydantic_core import from_json

from hybridkb.errors import HybridKBError, InvalidInput, UnreadableDocument
from hybridkb.knowledge.base import Instant, KnowledgeModel
from hybridkb.knowledge.blob_lines import BlobPart
from hybridkb.knowledge.canonical import canonical_json
from hybridkb.knowledge.item import KnowledgeItem
from hybridkb.knowledge.registry import parse_item

__all__ = ["MAX_LINE_BYTES", "BlobPart", "CurrentArtifact", "Entry", "Purge", "Withdrawal", "read_items", "write_line"]

MAX_LINE_BYTES = 256 * 1024 * 1024
"""The longest line that is read into memory, its line break included."""

_KEYS = tuple(f'"{name}"'.encode() for name in ("item", "withdrawal", "purge", "blob", "current"))
_BOM = b"\xef\xbb\xbf"


class Withdrawal(KnowledgeModel):
    """From ``at`` on (UTC), the item ``id`` is no longer part of what is known."""

    id: UUID
    at: Instant


class Purge(KnowledgeModel):
    """The item ``id`` was erased at ``at`` (UTC), for a reason."""

    id: UUID
    at: Instant
    reason: str | None = None


class CurrentArtifact(KnowledgeModel):
    """The artifact ``id`` is the one of its paper and kind that searches see."""

    id: UUID


Entry: TypeAlias = KnowledgeItem | Withdrawal | Purge | BlobPart | CurrentArtifact

_WRAPPED: dict[str, type[Withdrawal | Purge | BlobPart | CurrentArtifact]] = {
    "withdrawal": Withdrawal,
    "purge": Purge,
    "blob": BlobPart,
    "current": CurrentArtifact,
}


def write_line(entry: Entry) -> str:
    """Write an entry as one line of JSON, without the line break; :func:`read_items` reads it back equal."""
    if isinstance(entry, KnowledgeItem):
        return canonical_json(entry).decode()
    key = next(name for name, kind in _WRAPPED.items() if isinstance(entry, kind))
    return json.dumps({key: entry.model_dump(mode="json")}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_items(
    source: str | os.PathLike[str] | Iterable[str | bytes], *, name: str = "<lines>"
) -> Iterator[tuple[int, Entry | HybridKBError]]:
    """Read entries one by one: pairs of the line number, counted from 1, and the entry or what is wrong with it.

    Blank lines, a byte order mark and CRLF are passed over.

    Args:
        source: a path, or the lines themselves.
        name: what errors call lines that come from no file.

    Yields:
        Errors are :class:`UnreadableDocument` with path and line; ``__cause__`` holds the first error.

    Raises:
        UnreadableDocument: the file itself cannot be opened or read.
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        lines: Iterable[str | bytes] = _file_lines(name)
    else:
        lines = source
    for number, line in enumerate(lines, start=1):
        try:
            entry = _read_line(line, first=number == 1)
        except InvalidInput as error:
            yield number, _report(error, name, number)
        except RecursionError:
            yield number, _report(InvalidInput("the JSON is nested too deeply"), name, number)
        else:
            if entry is not None:
                yield number, entry


def _file_lines(path: str) -> Iterator[bytes]:
    """Lines end at a line feed alone. What exceeds the limit is skipped, but for enough to be told too long."""
    try:
        with open(path, "rb") as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                rest = line
                while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                    rest = file.readline(MAX_LINE_BYTES + 1)
                yield line
    except OSError as error:
        raise UnreadableDocument(f"{path} cannot be read: {error.strerror or error}", path=path) from error


def _read_line(line: str | bytes, *, first: bool) -> Entry | None:
    data = _to_bytes(line)
    if len(data) > MAX_LINE_BYTES:
        raise InvalidInput(f"the line is longer than {MAX_LINE_BYTES:,} bytes, the most allowed")
    if first and data.startswith(_BOM):
        data = data[len(_BOM) :]
    data = data.strip(b" \t\r\n")
    return _read_entry(data) if data else None


def _to_bytes(line: str | bytes) -> bytes:
    try:
        if isinstance(line, str):
            return line.encode()
        line.decode()
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"the line is not UTF-8 ({error.reason} at {error.start}); save it as UTF-8") from None
    return line


def _read_entry(data: bytes) -> Entry:
    wrapped = _unwrap(data)
    if wrapped is None:
        return parse_item(data)
    key, value = wrapped
    kind = _WRAPPED.get(key)
    return parse_item(json.dumps(value)) if kind is None else kind.model_validate(value)


def _unwrap(data: bytes) -> tuple[str, Any] | None:
    """The one key and value of a wrapped entry; None for a bare item and for what is no entry at all."""
    if not data[1:].lstrip().startswith(_KEYS):
        return None
    try:
        fields = from_json(data)
    except ValueError:
        return None
    if not isinstance(fields, Mapping) or len(fields) != 1:
        return None
    return next(iter(fields.items()))


def _report(error: InvalidInput, path: str, number: int) -> UnreadableDocument:
    report = UnreadableDocument(f"{path}, line {number}: {error}", path=path, place=number)
    report.__cause__ = error
    return report
