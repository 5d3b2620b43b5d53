"""From a read file to the item that the library keeps: passages become nodes with stable ids."""

from __future__ import annotations

import hashlib
from collections import Counter
from uuid import UUID

from hybridkb.documents import Passage, ReadDocument
from hybridkb.folder.report import shown
from hybridkb.knowledge import Citation, Document, SourceRef, TreeNode, stable_id
from hybridkb.knowledge.times import from_microseconds

ROOT_NODE = "document"
HEADING_SEPARATOR = " > "


def document_id(collection: str, path: str) -> UUID:
    """The id of a file: its collection and its exact relative path."""
    return stable_id("document", collection, path)


def make_document(
    read: ReadDocument, *, collection: str, path: str, content_hash: bytes, as_of: int, available_at: int | None
) -> Document:
    """Make the item of a file.

    Args:
        read: what the file holds.
        collection, path: name it.
        content_hash: SHA-256 of its bytes.
        as_of, available_at: microseconds since 1970 UTC.

    Raises:
        InvalidInput: the file says something about itself that no item can hold.
    """
    says = read.front_matter
    name = shown(path)
    return Document(
        id=document_id(collection, path),
        as_of=from_microseconds(as_of),
        available_at=None if available_at is None else from_microseconds(available_at),
        source=_source(read, name, content_hash),
        confidence=says.confidence or "medium",  # type: ignore[arg-type]
        tags=says.tags,
        provenance=says.provenance,
        title=read.title.strip() or name,
        root_node_id=ROOT_NODE,
        nodes=_nodes(read, name),
        path=name,
        collection=collection,
        kind=says.type,
        origin=says.source,
        tickers=says.tickers,
        periods=says.periods,
        pages=read.pages,
        encoding=read.encoding,
    )


def _source(read: ReadDocument, name: str, content_hash: bytes) -> SourceRef:
    """The address that the file gives, else the file itself."""
    says = read.front_matter
    places = (text for text in (says.source, says.link) if text)
    address = next((text for text in places if text.startswith(("http://", "https://"))), None)
    return SourceRef(
        kind="http" if address else "local",
        uri=address or name,
        published_at=says.published_at,
        content_hash=content_hash.hex(),
    )


def _nodes(read: ReadDocument, name: str) -> dict[str, TreeNode]:
    nodes = {ROOT_NODE: TreeNode(node_id=ROOT_NODE)}
    seen: Counter[str] = Counter()
    for position, passage in enumerate(read.passages):
        title = HEADING_SEPARATOR.join(_heading(passage, _title_above(read, passage, name)))
        node_id = _node_id(title, passage.text, seen)
        nodes[node_id] = TreeNode(
            node_id=node_id,
            parent_id=ROOT_NODE,
            position=position,
            title=title,
            content=passage.text,
            citations=() if passage.page is None else (Citation(source_id=name, page=passage.page),),
        )
    return nodes


def _title_above(read: ReadDocument, passage: Passage, name: str) -> str | None:
    """What to put above a passage's headings, so that the words of a document's title find it.

    What the file calls itself in front matter; else the title found in it where no heading stands above, or none that
    a person wrote (bookmarks of pages). Never its name: a rename would change every passage.
    """
    if read.front_matter.title:
        return read.front_matter.title
    base = name.rpartition("/")[2]
    named_by_file = read.title in (base, base.rpartition(".")[0])
    unheaded = not passage.heading or base.lower().endswith(".pdf")
    return read.title if unheaded and not named_by_file else None


def _heading(passage: Passage, title: str | None) -> tuple[str, ...]:
    """The headings above a passage; a title that the front matter gives stands above them, if it says anything new."""
    headings = tuple(" ".join(words) for heading in passage.heading if (words := heading.split()))
    title = " ".join((title or "").split())
    if not title or (headings and _is_part(title, headings[0])):
        return headings
    return (title, *headings)


def _is_part(one: str, other: str) -> bool:
    """Whether one of two lines holds every word of the other."""
    words, others = set(one.casefold().split()), set(other.casefold().split())
    return words <= others or others <= words


def _node_id(title: str, text: str, seen: Counter[str]) -> str:
    """Name a passage by what it says, so that it keeps its id while others change; equal ones are numbered."""
    digest = hashlib.blake2b(f"{title}\0{text}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
