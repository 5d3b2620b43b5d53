"""Cards as JSON Lines: what a program writes that found its sources elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hybridkb.documents.encodings import decode
from hybridkb.errors import HybridKBError, InvalidInput, UnreadableDocument
from hybridkb.knowledge.json_keys import unique_keys
from hybridkb.knowledge.times import Meaning, parse_day_or_instant
from hybridkb.memory.card import KnowledgeCard
from hybridkb.memory.collected import CollectedCards, Collector
from hybridkb.memory.files import MAX_FILE_BYTES, SourceFile

_CARD = ("source", "kind", "doc_date", "verdict", "link")


def collect_card_lines(path: str | os.PathLike[str], *, prefix: str = "", zone: str = "UTC") -> CollectedCards:
    """Read cards, one JSON object a line: the fields of a :class:`KnowledgeCard`.

    ``provenance`` may be an object, or its fields (``source``, ``kind`` ...) stand beside the others. Of times a day
    alone will do. A line that cannot be used is skipped with its reason.

    Args:
        path: the file.
        prefix: put before every slug.
        zone: the zone in which a day alone is read; give the library's.

    Raises:
        UnreadableDocument: the file cannot be read.
    """
    collector = Collector()
    name = Path(path).name
    for number, line in _lines(Path(path)):
        place = f"{name}, line {number}"
        try:
            collector.add(place, _card(line, prefix, zone))
        except HybridKBError as error:
            collector.skip(place, error)
    return collector.collected()


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        data = SourceFile(path, path.name).read()
    except OSError as error:
        raise UnreadableDocument(f"{path.name} cannot be read: {error.strerror or error}", path=path.name) from error
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableDocument(f"{path.name} is larger than {MAX_FILE_BYTES:,} bytes; split it", path=path.name)
    for number, line in enumerate(decode(data, path.name).text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _card(line: str, prefix: str, zone: str) -> KnowledgeCard:
    try:
        fields = json.loads(line, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"is not JSON: {error}") from None
    if not isinstance(fields, Mapping):
        raise InvalidInput("is not a JSON object")
    said: dict[str, Any] = dict(fields)
    if "provenance" not in said:
        said["provenance"] = {name: said.pop(name) for name in _CARD if name in said}
    meanings: tuple[Meaning, Meaning] = ("as_of", "available_at")
    for meaning in meanings:
        if isinstance(said.get(meaning), str):
            said[meaning] = parse_day_or_instant(said[meaning], meaning=meaning, zone=zone)
    if isinstance(said.get("slug"), str):
        said["slug"] = prefix + said["slug"]
    return KnowledgeCard.model_validate(said)
