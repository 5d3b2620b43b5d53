"""The fields that every piece of knowledge has."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from hybridkb.knowledge.base import Instant, KnowledgeModel, Names
from hybridkb.knowledge.provenance import Provenance
from hybridkb.knowledge.source import Citation, ExtractionRef, SourceRef

Confidence = Literal["low", "medium", "high"]


def _now() -> datetime:
    return datetime.now(UTC)


class KnowledgeItem(KnowledgeModel):
    """One immutable, typed statement of knowledge. All times are aware and kept in UTC.

    Attributes:
        id: chosen by the caller; :func:`~hybridkb.knowledge.stable_id` makes one from what names the item.
        item_type: the type's name; each class fixes its own.
        schema_version: version of the type's fields.
        as_of: the information cutoff that the item represents.
        available_at: when its source became observable to a researcher; None is unknown, and never assumed safe.
        created_at: when this object was made; left out of the content hash.
        source: where it comes from.
        extraction: the run that extracted it, if a program did.
        confidence: how sure the author is.
        citations: the passages it rests on.
        tags: filter values, each once.
        disclaimers: what a reader must be told with it.
        provenance: the provenance card.
    """

    id: UUID
    item_type: str
    schema_version: int = Field(default=1, ge=1)
    as_of: Instant
    available_at: Instant | None = None
    created_at: Instant = Field(default_factory=_now)
    source: SourceRef
    extraction: ExtractionRef | None = None
    confidence: Confidence = "medium"
    citations: tuple[Citation, ...] = ()
    tags: Names = ()
    disclaimers: tuple[str, ...] = ()
    provenance: Provenance | None = None


class FlatKnowledge(KnowledgeItem):
    """Knowledge that is one statement; it gives one record.

    Subclass it for a type of your own: fix ``item_type: Literal["memo"] = "memo"``, add fields, and register how it
    is searched with :func:`hybridkb.records.register_projection`.
    """
