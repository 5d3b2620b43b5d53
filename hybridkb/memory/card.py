"""``KnowledgeCard``: one source document on its way into the managed memory, with its provenance card."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import field_validator
from pydantic_core import PydanticCustomError

from hybridkb.knowledge import Citation, Provenance, SourceRef, TreeNode
from hybridkb.knowledge.base import Instant, KnowledgeModel, Names
from hybridkb.knowledge.card import CARD_ROOT, AvailabilityBasis, MemoryCard, Slug, card_id, plain_slug
from hybridkb.memory.chunking import Chunk

_UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Invisible, or turning the direction of writing. The joiners U+200C and U+200D belong to words of some scripts."""

_NOT_SAID = {"source", "available_at", "availability_basis"}


class KnowledgeCard(KnowledgeModel):
    """One source document, handed to :func:`hybridkb.memory.ingest_sources`, which cuts it into chunks.

    Attributes:
        slug: names the document; a later card of the same slug replaces it.
        text: its words; not blank.
        provenance: how far it may be trusted, and where it comes from.
        title: what it is called; every chunk is shown and ranked with it. Without one, the slug stands in.
        tags: filter values.
        as_of: the information cutoff it represents. Without one: ``available_at``, else the end of the card's
            ``doc_date`` in the library's zone, else the time of its first ingest.
        available_at: when it became observable; None is unknown, and never assumed safe.
        source: the file or address it was read from; without one, its kind is ``"manual"``.
        availability_basis: what ``available_at`` rests on; given one, it is ``"stated"`` unless something else is said.
    """

    slug: Slug
    text: str
    provenance: Provenance
    title: str | None = None
    tags: Names = ()
    as_of: Instant | None = None
    available_at: Instant | None = None
    source: SourceRef | None = None
    availability_basis: AvailabilityBasis | None = None

    def __init__(
        self,
        slug: str,
        text: str,
        provenance: Provenance,
        *,
        title: str | None = None,
        tags: Iterable[str] = (),
        as_of: datetime | None = None,
        available_at: datetime | None = None,
        source: SourceRef | None = None,
        availability_basis: AvailabilityBasis | None = None,
    ) -> None:
        """Make a card.

        Raises:
            InvalidInput: a slug that cannot be one, a blank text, an unknown source class, a naive time or a day alone.
        """
        super().__init__(
            slug=slug, text=text, provenance=provenance, title=title, tags=tags, as_of=as_of,
            available_at=available_at, source=source, availability_basis=availability_basis,
        )  # fmt: skip

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @field_validator("slug")
    @classmethod
    def _shows_all_it_says(cls, value: str) -> str:
        if _UNSEEN.search(value):
            raise PydanticCustomError("slug", "holds an invisible character and looks like another slug; take it out")
        return plain_slug(value)

    @field_validator("text")
    @classmethod
    def _has_words(cls, value: str) -> str:
        if not value.strip():
            raise PydanticCustomError("blank", "is blank; a card without words cannot be found")
        return value

    @field_validator("title")
    @classmethod
    def _not_blank(cls, value: str | None) -> str | None:
        return value if value and value.strip() else None

    @property
    def content_hash(self) -> str:
        """Hexadecimal SHA-256 of the file it was read from, else of all it says but when it became observable.

        The library keeps it, so that coverage can tell whether the card it holds is behind.
        """
        if self.source is not None and self.source.content_hash:
            return self.source.content_hash
        said = self.model_dump(mode="json", exclude=_NOT_SAID, exclude_defaults=True)
        return sha256(json.dumps(said, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def make_item(
    card: KnowledgeCard, chunks: Iterable[Chunk], *, words_per_chunk: int, overlap: int, as_of: datetime
) -> MemoryCard:
    """Make the item that a library stores.

    Args:
        card: the document.
        chunks: where its text is cut.
        words_per_chunk, overlap: how it was cut.
        as_of: stands in when the card does not say (UTC).
    """
    title = card.title or card.slug
    nodes = {CARD_ROOT: TreeNode(node_id=CARD_ROOT)}
    for chunk in chunks:
        name = str(chunk.number)
        nodes[name] = TreeNode(
            node_id=name,
            parent_id=CARD_ROOT,
            position=chunk.number,
            title=title,
            content=card.text[chunk.start : chunk.end],
            citations=(Citation(source_id=card.slug, char_offset=chunk.start),),
        )
    basis = card.availability_basis or "stated"
    return MemoryCard(
        id=card_id(card.slug),
        slug=card.slug,
        title=title,
        root_node_id=CARD_ROOT,
        nodes=nodes,
        words_per_chunk=words_per_chunk,
        overlap=overlap,
        as_of=card.as_of or as_of,
        available_at=card.available_at,
        availability_basis=basis if card.available_at is not None else None,
        source=_source(card),
        tags=card.tags,
        provenance=card.provenance,
    )


def _source(card: KnowledgeCard) -> SourceRef:
    given: dict[str, Any] = {"kind": "manual", "uri": card.provenance.link}
    if card.source is not None:
        given = dict(card.source)
    return SourceRef(**{**given, "content_hash": card.content_hash})
