"""The chunks of one card as a library holds them, each with the hash that names what is ranked of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hybridkb.errors import NotFound
from hybridkb.knowledge import TreeNode
from hybridkb.knowledge.card import MemoryCard, card_id
from hybridkb.library import HybridLibrary
from hybridkb.records import project


@dataclass(frozen=True, slots=True)
class CardChunk:
    """One chunk of a card.

    Attributes:
        slug, number: its address.
        start: where it begins in the card's text, in characters.
        text: its words, a slice of the card's text.
        text_hash: 32 hexadecimal digits that name what is ranked: the card's title and the chunk. Equal hashes, equal
            judgements.
    """

    slug: str
    number: int
    start: int
    text: str
    text_hash: str


def chunk_texts(library: HybridLibrary, slug: str, *, at: datetime | None = None) -> tuple[CardChunk, ...]:
    """Read the chunks of a card, by number, as they are now or as they stood at ``at``.

    Raises:
        NotFound: the library holds no card of this slug, or did not then.
    """
    try:
        item = library.get(card_id(slug), at=at)
    except NotFound as error:
        raise NotFound(f"no card {slug!r}: {error}", target=slug) from error
    if not isinstance(item, MemoryCard):
        raise NotFound(f"{slug!r} is no card", target=slug)
    hashes = {record.locator.member_id: record.text_hash.hex() for record in project(item)}
    return tuple(
        CardChunk(slug, int(name), _start(node), node.content, hashes[name])
        for name, node in item.nodes.items()
        if node.parent_id is not None
    )


def _start(node: TreeNode) -> int:
    return node.citations[0].char_offset or 0 if node.citations else 0
