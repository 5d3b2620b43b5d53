"""Corpora in the shape of the BEIR collections: one document a line, ``_id``, ``title``, ``text``, ``metadata``.

A document becomes a tree: the root carries its title, the nodes its passages. What is
knowable about time comes from ``metadata.date`` alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from hybridkb.cli.passages import passages
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Filing, Provenance, SourceRef, Transcript, TreeKnowledge, TreeNode, stable_id
from hybridkb.knowledge.times import parse_day_or_instant

ROOT = "root"
TREES: Mapping[str, type[Transcript] | type[Filing]] = {"transcript": Transcript, "filing": Filing}


def is_beir(line: bytes) -> bool:
    """Tell a line of a BEIR corpus from a line of knowledge."""
    try:
        fields = json.loads(line)
    except ValueError:
        return False
    return isinstance(fields, dict) and "_id" in fields and "text" in fields


def reader(
    *, collection: str, tree: str, available_from: str, as_of: datetime | None, zone: str = "UTC"
) -> Callable[[bytes], TreeKnowledge]:
    """Return the function that turns a line into a tree.

    Args:
        collection: keeps apart documents of different corpora that have the same ``_id``.
        tree: which kind of tree a document becomes, a key of ``TREES``.
        available_from: ``"date"`` when a document was observable on its date, ``"none"`` when that is not known.
        as_of: stands in for the date of documents that have none.
        zone: the library's time zone, in which the date is a day.
    """

    def read(line: bytes) -> TreeKnowledge:
        fields = _fields(line)
        return _document(
            fields, TREES[tree], _dates(fields["metadata"], available_from == "date", as_of, zone), collection
        )

    return read


def _fields(line: bytes) -> dict[str, Any]:
    """Read a line and check its shape."""
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"the line is not JSON: {error}") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("_id"), str) or not fields["_id"]:
        raise InvalidInput('a document needs an "_id"', field="_id")
    for name in ("title", "text"):
        if not isinstance(fields.setdefault(name, ""), str):
            raise InvalidInput(f"the {name} of {fields['_id']!r} is not text", field=name)
    if not fields["title"].strip() and not fields["text"].strip():
        raise InvalidInput(f"{fields['_id']!r} has neither title nor text", field="text")
    metadata = fields.get("metadata")
    fields["metadata"] = metadata if isinstance(metadata, dict) else {}
    return fields


def _dates(
    metadata: Mapping[str, Any], known_on_date: bool, as_of: datetime | None, zone: str
) -> tuple[str | None, datetime, datetime | None]:
    """Find the document's day, its ``as_of`` and its ``available_at``: the last microsecond of that day."""
    day = metadata.get("date")
    if not isinstance(day, str) or not day:
        if as_of is None:
            raise InvalidInput("the document has no metadata.date; give --as-of DAY for such documents", field="date")
        return None, as_of, None
    end = parse_day_or_instant(day, meaning="available_at", zone=zone)
    return day[:10], end, end if known_on_date else None


def _document(
    fields: Mapping[str, Any],
    tree: type[Transcript] | type[Filing],
    dates: tuple[str | None, datetime, datetime | None],
    collection: str,
) -> TreeKnowledge:
    day, as_of, available_at = dates
    metadata = fields["metadata"]
    name = fields["title"].strip() or fields["_id"]
    title = _text(metadata.get("title")) or name
    kind = _text(metadata.get("doc_type"))
    return tree(
        id=stable_id("beir", collection, fields["_id"]),
        title=title,
        root_node_id=ROOT,
        nodes=_nodes(title, "" if name == title else name, fields["text"]),
        as_of=as_of,
        available_at=available_at,
        source=SourceRef(kind="local", uri=_text(metadata.get("url")) or fields["_id"]),
        tags=tuple(tag for tag in (kind, _text(metadata.get("speaker"))) if tag),
        provenance=Provenance("article", kind, day, None, _text(metadata.get("url"))),
    )


def _nodes(title: str, context: str, text: str) -> dict[str, TreeNode]:
    """Make the root and one node for each passage; a text of one passage is the root's own."""
    parts = list(passages(text))
    if len(parts) < 2:
        return {ROOT: TreeNode(node_id=ROOT, summary=context, content="".join(parts))}
    nodes = {ROOT: TreeNode(node_id=ROOT, summary=context)}
    for number, part in enumerate(parts, start=1):
        node_id = f"p{number:04}"
        nodes[node_id] = TreeNode(
            node_id=node_id,
            parent_id=ROOT,
            position=number,
            title=f"{title} (part {number})",
            summary=context,
            content=part,
        )
    return nodes


def _text(value: object) -> str | None:
    return " ".join(value.split()) or None if isinstance(value, str) else None
