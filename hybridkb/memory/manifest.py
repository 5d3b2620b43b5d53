"""Manifests: files that list what should be in the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hybridkb.documents.encodings import decode
from hybridkb.errors import InvalidInput, UnreadableDocument
from hybridkb.knowledge.json_keys import unique_keys
from hybridkb.memory.files import MAX_FILE_BYTES, SourceFile
from hybridkb.memory.tables import LINES, TABLES, WrongRow, json_rows, table_rows


def read_manifest(path: Path) -> Any:
    """Read what a manifest lists: a JSON list or object, JSON Lines, or a table with a column ``slug``.

    A manifest is read whole or not at all: what it lost would count as not expected.

    Raises:
        InvalidInput: there is no such file, or its ending is another.
        UnreadableDocument: it cannot be read, or a line of it is wrong.
    """
    if not path.is_file():
        raise InvalidInput(f"{str(path)!r} is neither a folder nor a manifest; give what is there", field="expected")
    name = path.name.lower()
    text = _text(path)
    if name.endswith(".json"):
        return _json(path, text)
    if name.endswith(LINES):
        return [_row(path, line, row) for line, row in json_rows(text)]
    if name.endswith(TABLES):
        return [_row(path, line, row) for line, row in table_rows(text, name)]
    endings = ", ".join((".json", *LINES, *TABLES))
    raise InvalidInput(f"{path.name} is no manifest by its ending; write one of {endings}", field="expected")


def _json(path: Path, text: str) -> list[Any] | dict[str, Any]:
    try:
        said = json.loads(text, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument(f"{path.name} is not JSON: {error}", path=path.name) from None
    if not isinstance(said, list | dict):  # a text would be taken for the path of another manifest
        raise UnreadableDocument(f"{path.name} holds neither a list nor an object of what should be in", path=path.name)
    return said


def _text(path: Path) -> str:
    try:
        data = SourceFile(path, path.name).read()
    except OSError as error:
        raise UnreadableDocument(f"{path.name} cannot be read: {error.strerror or error}", path=path.name) from error
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableDocument(f"{path.name} is larger than {MAX_FILE_BYTES:,} bytes; split it", path=path.name)
    return decode(data, path.name).text


def _row(path: Path, line: int, row: Any) -> Any:
    if isinstance(row, WrongRow):
        raise UnreadableDocument(f"{path.name}, line {line}, {row}", path=path.name, place=line)
    return row
