"""The searchable projection: one record for each thing that can be a hit.

Derived from knowledge, never the truth, and rebuildable at any time. A record says
what is ranked (title and body), what exactly identifies it, and every value that a
filter may ask for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from hybridkb.knowledge.locator import Locator

TITLE_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Record:
    """One searchable projection of an item, node, chunk, summary or passage.

    Attributes:
        locator: stable address of what a hit on this record points to.
        item_type: the knowledge type's name, such as ``"earnings"``.
        title: short text that weighs more; may be empty.
        body: the rest of the ranked text; may be empty, but not together with the title.
        identifiers: exact names of the thing (ticker, form, factor name, accession number).
        tags, tickers, periods, collections: filter values, as written.
        confidence: ``"low"``, ``"medium"`` or ``"high"``.
        source_kind: ``SourceRef.kind``.
        source_class, kind, doc_date, verdict, link: the provenance card; None without one.
            ``doc_date`` is ISO ``YYYY-MM-DD``.
        path: slash-separated path for ``path_prefix``; None when there is none.
        tree_id: the item's id when the record belongs to a tree, else None.
        artifact_kind: None for items.
        citations: the citations of this node or item as a JSON array.
        projection_version: version of the rule that chose title and body.
        basis: names what the record shows beyond its item and its text; empty when that is nothing.
        text_hash: sixteen bytes that name the ranked text; vectors are cached under them.
    """

    locator: Locator
    item_type: str
    title: str
    body: str
    identifiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tickers: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    confidence: str = "medium"
    source_kind: str = "manual"
    source_class: str | None = None
    kind: str | None = None
    doc_date: str | None = None
    verdict: str | None = None
    link: str | None = None
    path: str | None = None
    tree_id: str | None = None
    artifact_kind: str | None = None
    citations: str = "[]"
    projection_version: int = 1
    basis: bytes = b""
    text_hash: bytes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text_hash", hash_text(self.text))

    @property
    def text(self) -> str:
        """Exactly what is ranked and embedded: title and body, a blank line between."""
        return join_text(self.title, self.body)


def join_text(title: str, body: str) -> str:
    """Join title and body into the ranked text."""
    return title + TITLE_SEPARATOR + body if title and body else title or body


def hash_text(text: str) -> bytes:
    """Name a text by sixteen bytes (BLAKE2b of its UTF-8; lone surrogates are kept apart)."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
