"""What stands in the library now, item by item: how many records, which vectors are missing, what is not read whole."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hybridkb.database import Connection, Row, ids_parameter
from hybridkb.embedders import certainly_read, is_truncated
from hybridkb.knowledge.times import from_microseconds
from hybridkb.records import join_text
from hybridkb.store.embedders import EmbedderChoice
from hybridkb.vector.spaces import serving_space


@dataclass(frozen=True, slots=True)
class HeldItem:
    """One item as it stands now.

    Attributes:
        item_id, item_type: the item.
        path: its path: of a memory card the slug, of a document the file; None when it has none.
        source_class: the class on its provenance card; None without a card.
        content_hash: hexadecimal SHA-256 of its content.
        source_hash: hash of the bytes that were read, as its source says it; None when it does not.
        available_at, as_of, recorded_at: its times (UTC); ``available_at`` is None when unknown.
        records: how many records it has: of a memory card the chunks, of a document the passages.
        without_vector: how many of them have no vector in the serving space.
        truncated: how many of them the model does not read to the end; None when no model could be asked.
    """

    item_id: UUID
    item_type: str
    path: str | None
    source_class: str | None
    content_hash: str
    source_hash: str | None
    available_at: datetime | None
    as_of: datetime
    recorded_at: datetime
    records: int
    without_vector: int
    truncated: int | None


@dataclass(frozen=True, slots=True)
class HeldFolder:
    """A folder that documents are read from.

    Attributes:
        collection: the name under which it is kept in step.
        root: its real path.
        settings: how it is read, as JSON.
        unreadable: (path, reason) of files that could not be read when it was last looked at.
    """

    collection: str
    root: str
    settings: str
    unreadable: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything that stands in the library now.

    Attributes:
        taken_at: when it was counted, by the library's clock (UTC).
        items: by path, then id; those without a path first.
        folders: folders that documents are read from.
        space: the embedding space that serves; None without vectors.
        model_reason: why nobody could say what is truncated; None when that was counted.
    """

    taken_at: datetime
    items: tuple[HeldItem, ...]
    folders: tuple[HeldFolder, ...]
    space: str | None
    model_reason: str | None


def take_inventory(
    connection: Connection, embedders: EmbedderChoice, now: int, item_types: Iterable[str] | None = None
) -> Inventory:
    """Count inside the caller's read transaction.

    Args:
        connection: open for reading.
        embedders: asked which long texts are read whole.
        now: the library's clock, microseconds since 1970 UTC.
        item_types: only these; None is all.
    """
    wanted = [item_types] if isinstance(item_types, str) else item_types
    types = {"item_types": None if wanted is None else json.dumps(sorted(set(wanted)))}
    serving = serving_space(connection)
    truncated, reason = _truncated(connection, embedders, types)
    rows = connection.rows("memory/inventory", {**types, "space_no": serving.number if serving else None})
    return Inventory(
        taken_at=from_microseconds(now),
        items=tuple(_item(row, truncated) for row in rows),
        folders=_folders(connection),
        space=str(serving.space) if serving else None,
        model_reason=reason,
    )


def _item(row: Row, truncated: Counter[str] | None) -> HeldItem:
    item_id, item_type, path, source_class, content, source, available_at, as_of, recorded_at, records, without = row
    return HeldItem(
        item_id=UUID(item_id),
        item_type=item_type,
        path=path,
        source_class=source_class,
        content_hash=content.hex(),
        source_hash=source,
        available_at=None if available_at is None else from_microseconds(available_at),
        as_of=from_microseconds(as_of),
        recorded_at=from_microseconds(recorded_at),
        records=records,
        without_vector=without,
        truncated=None if truncated is None else truncated[item_id],
    )


def _folders(connection: Connection) -> tuple[HeldFolder, ...]:
    unreadable: dict[int, list[tuple[str, str]]] = {}
    for folder_no, path, reason in connection.rows("memory/unreadable_files"):
        unreadable.setdefault(folder_no, []).append((os.fsdecode(path), reason or "cannot be read"))
    return tuple(
        HeldFolder(collection, os.fsdecode(root), settings, tuple(unreadable.get(folder_no, ())))
        for folder_no, collection, root, settings in connection.rows("memory/folders")
    )


def _truncated(
    connection: Connection, embedders: EmbedderChoice, types: dict[str, str | None]
) -> tuple[Counter[str] | None, str | None]:
    """How many records of each item the serving model does not read to the end, or why that is not known."""
    serving = serving_space(connection)
    if serving is None:
        return None, "there are no vectors"
    model = embedders.for_space(serving.space)
    if model.embedder is None:
        return None, model.reason
    long = connection.rows("memory/long_records", {**types, "bytes": certainly_read(model.embedder)})
    return Counter(
        item_id for item_id, record_id in long if is_truncated(model.embedder, _text(connection, record_id))
    ), None


def _text(connection: Connection, record_id: int) -> str:
    title, body, _ = connection.rows("records/texts", ids_parameter([record_id]))[0]
    return join_text(title, body)
