"""From items to rows-to-be: everything that can be checked before the database is touched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import KnowledgeItem, content_hash
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.times import to_microseconds
from hybridkb.records import Record, project
from hybridkb.records.paper_projection import PaperContext, project_artifact
from hybridkb.store.canonical import encode_payload


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item ready to be written. Times are microseconds since 1970 UTC.

    ``current`` is false of an artifact beside which another one is; ``renewed`` asks for the records to be made anew
    where the item itself is as it was.
    """

    position: int
    item_id: str
    item_type: str
    available_at: int | None
    as_of: int
    content_hash: bytes
    payload: bytes
    source: str
    records: tuple[Record, ...]
    current: bool = True
    renewed: bool = False


Seen = dict[tuple[str, int | None], Prepared]


def prepare(item: Any, position: int) -> Prepared:
    """Check and project one item.

    Raises:
        InvalidInput: it is no knowledge item, or has no text to search.
        UnregisteredType: its type has no projection.
    """
    if not isinstance(item, KnowledgeItem):
        raise InvalidInput(
            f"position {position}: {type(item).__name__} is no knowledge item; make one with hybridkb.knowledge, or "
            "read a mapping with parse_item",
            field="item",
        )
    return _prepared(item, position, project(item))


def prepare_source(source: PaperSourceRevision, position: int) -> Prepared:
    """The same for a paper, which has no record of its own."""
    return _prepared(source, position, ())


def prepare_artifact(
    artifact: PaperArtifact, context: PaperContext, position: int, *, current: bool, renewed: bool = False
) -> Prepared:
    """The same for what was made from a paper.

    Args:
        artifact: with the times and the source of one revision of its paper.
        context: what its records show of that revision.
        position: names it.
        current, renewed: see :class:`Prepared`.

    Raises:
        UnregisteredType: nothing says how its class is searched.
    """
    records = project_artifact(artifact, context)
    return replace(_prepared(artifact, position, records), current=current, renewed=renewed)


def _prepared(item: KnowledgeItem, position: int, records: tuple[Record, ...]) -> Prepared:
    return Prepared(
        position,
        str(item.id),
        item.item_type,
        None if item.available_at is None else to_microseconds(item.available_at),
        to_microseconds(item.as_of),
        content_hash(item),
        encode_payload(item),
        item.source.model_dump_json(exclude_none=True),
        records,
    )


def refuse_contradiction(seen: Seen, one: Prepared) -> None:
    """Refuse an item when its batch says something else about the same id at the same instant.

    Args:
        seen: the first of the batch by id and instant; ``one`` is added.
        one: the next of the batch.

    Raises:
        InvalidInput: names both positions.
    """
    other = seen.setdefault((one.item_id, one.available_at), one)
    if other.content_hash != one.content_hash:
        raise InvalidInput(
            f"positions {other.position} and {one.position}: item {one.item_id} appears twice with the same "
            "available_at and different content; keep one of them",
            field="available_at",
        )
