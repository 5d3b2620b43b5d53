"""A source document of the managed memory, cut into numbered chunks: one tree for each slug."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, field_validator
from pydantic_core import PydanticCustomError

from hybridkb.knowledge.identity import stable_id
from hybridkb.knowledge.locator import Locator
from hybridkb.knowledge.tree import TreeKnowledge, TreeNode

MAX_SLUG_CHARACTERS = 300

CARD_ROOT = "root"
"""Node id of the root of every card: it holds the chunks and no text of its own."""

AvailabilityBasis = Literal["stated", "published", "fetched"]
"""What an ``available_at`` rests on: said by the source itself, its publication, or the time it was fetched."""


def _check_slug(value: str) -> str:
    for fault, what in (
        (not value, "is empty; give the name that the card is found by"),
        (len(value) > MAX_SLUG_CHARACTERS, f"is longer than {MAX_SLUG_CHARACTERS} characters; shorten it"),
        (value != value.strip(), "begins or ends with white space; take it out"),
        (any(unicodedata.category(one) in ("Cc", "Zl", "Zp") for one in value), "holds a control character"),
        ("\\" in value, "holds a backslash; separate its parts by /"),
        (value[1:3] == ":/" and value[0].isalpha(), "begins like a drive of Windows; leave the drive out"),
        (bool({"", ".", ".."}.intersection(value.split("/"))), "has a part that is empty, . or ..; name every part"),
    ):
        if fault:
            raise PydanticCustomError("slug", "{reason}", {"reason": what})
    return value


Slug = Annotated[str, AfterValidator(_check_slug)]
"""The name of a card, such as ``"rates/basis-trade"``: parts separated by slashes, never a way out of a folder."""


def plain_slug(slug: str) -> str:
    """A slug in the one Unicode form (NFC) in which it is kept: systems spell the same file name in several."""
    return unicodedata.normalize("NFC", slug)


def card_id(slug: str) -> UUID:
    """The id of the item that holds the card of this slug; it depends on the slug alone, in any Unicode form."""
    return stable_id("memory_card", plain_slug(slug))


def chunk_locator(slug: str, chunk: int) -> Locator:
    """The address of one chunk of a card, as hits carry it."""
    return Locator("item", card_id(slug), str(chunk))


class MemoryCard(TreeKnowledge):
    """A card as it stands in a library. Chunk ``n`` is the node ``str(n)``; the root holds no text.

    :func:`hybridkb.memory.ingest_sources` makes it from a :class:`hybridkb.memory.KnowledgeCard`.

    Attributes:
        slug: names the card; its id is :func:`card_id` of it.
        words_per_chunk, overlap: how its text was cut.
        availability_basis: what ``available_at`` rests on, if that is known.
    """

    item_type: Literal["memory_card"] = "memory_card"
    slug: Slug
    words_per_chunk: PositiveInt = Field(default=900)
    overlap: NonNegativeInt = Field(default=150)
    availability_basis: AvailabilityBasis | None = None

    @field_validator("nodes")
    @classmethod
    def _numbers_its_chunks(cls, value: Mapping[str, TreeNode]) -> Mapping[str, TreeNode]:
        chunks = [node.node_id for node in value.values() if node.parent_id is not None]
        if CARD_ROOT not in value or chunks != [str(number) for number in range(len(chunks))]:
            raise PydanticCustomError("chunks", 'have the root "root" and below it, in order, "0", "1", "2" ...')
        return value

    @property
    def chunks(self) -> tuple[str, ...]:
        """The text of each chunk, by number."""
        return tuple(node.content for node in self.nodes.values() if node.parent_id is not None)
