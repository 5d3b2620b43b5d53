"""From the address of a passage to the page it stands on, with its place marked: what a reader checks a citation by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from hybridkb.errors import InvalidInput, NotFound
from hybridkb.knowledge import Locator
from hybridkb.knowledge.paper_artifacts import (
    PageBox,
    PaperChunk,
    PaperChunkSet,
    PaperGlobalSummary,
    PaperTree,
    PaperTreeNode,
)
from hybridkb.knowledge.paper_source import Box, PaperSourceRevision

if TYPE_CHECKING:
    from hybridkb.library import HybridLibrary


@dataclass(frozen=True, slots=True)
class MarkedPlace:
    """A page of a paper, and what is marked on it.

    Attributes:
        source: the paper.
        page: physical, from 1.
        boxes: what is marked, in points from the upper left corner; empty when the page is meant as a whole.
        shows: what is marked, in words.
        passage: the chunk that is marked; None for sections and whole pages.
    """

    source: PaperSourceRevision
    page: int
    boxes: tuple[Box, ...]
    shows: str
    passage: PaperChunk | None = None


def mark_page(
    library: HybridLibrary,
    locator: Locator | str,
    *,
    page: int | None = None,
    citation: int | None = None,
    scale: float = 2.0,
) -> bytes:
    """Draw the page that a locator leads to, with the passage marked.

    Args:
        library: holds the paper.
        locator: of a passage, a summary, a section or a paper.
        page: which page, where it stands on several; default the first.
        citation: of a summary, which of its citations, from 1; default the first.
        scale: pixels a point.

    Returns:
        A PNG.

    Raises:
        NotFound: nothing stands there, or not on this page.
        InvalidInput: the locator leads to no page.
        MissingExtra: a package of the extra ``papers`` is not installed.
    """
    return draw_place(library, find_place(library, locator, page=page, citation=citation), scale=scale)


def draw_place(library: HybridLibrary, place: MarkedPlace, *, scale: float = 2.0) -> bytes:
    """Draw a place that was found: a PNG."""
    from hybridkb.documents.paper_picture import draw_page

    return draw_page(library.get_blob(place.source.sha256), place.page, place.boxes, scale=scale)


def find_place(
    library: HybridLibrary, locator: Locator | str, *, page: int | None = None, citation: int | None = None
) -> MarkedPlace:
    """Find the page that a locator leads to, and what to mark there; the arguments are those of :func:`mark_page`."""
    locator = locator if isinstance(locator, Locator) else Locator.parse(locator)
    found = library.resolve(locator)
    if citation is not None and not isinstance(found, PaperGlobalSummary):
        raise InvalidInput(f"{locator} is no summary, so it has no citations to choose from", field="citation")
    if isinstance(found, PaperSourceRevision):
        return _whole_page(found, page)
    if isinstance(found, PaperGlobalSummary):
        return _cited(library, found, citation or 1, page)
    if isinstance(found, PaperChunk):
        return _passage(_paper(library, locator.owner_id), found, page)
    if isinstance(found, PaperTree):
        return _whole_page(_paper(library, locator.owner_id), page)
    if isinstance(found, PaperTreeNode):
        return _section(_paper(library, locator.owner_id), found, page)
    if isinstance(found, PaperChunkSet):
        first = f"{locator}#{found.chunks[0].chunk_id}" if found.chunks else f"{locator}#c0001"
        raise InvalidInput(f"{locator} is a whole chunk set; name a passage, such as {first}", field="locator")
    raise InvalidInput(f"{locator} is no part of a paper, so it stands on no page of one", field="locator")


def _paper(library: HybridLibrary, artifact_id: UUID) -> PaperSourceRevision:
    return library.get_paper(artifact_id).source


def _passage(source: PaperSourceRevision, chunk: PaperChunk, page: int | None) -> MarkedPlace:
    page = chunk.page if page is None else page
    if page not in chunk.pages:
        stands = " and ".join(map(str, chunk.pages))
        raise NotFound(f"passage {chunk.chunk_id} stands on page {stands}, not on {page}", target=str(page))
    return MarkedPlace(source, page, _on(page, chunk.boxes), f"passage {chunk.chunk_id}", chunk)


def _cited(library: HybridLibrary, summary: PaperGlobalSummary, citation: int, page: int | None) -> MarkedPlace:
    if not 1 <= citation <= len(summary.cited):
        raise NotFound(f"the summary has {len(summary.cited)} citations, no number {citation}", target=str(citation))
    cited = summary.cited[citation - 1]
    chunk_set = library.get_artifact(summary.chunk_set_id)
    chunk = chunk_set.chunk(cited.chunk_id) if isinstance(chunk_set, PaperChunkSet) else None
    if chunk is None:
        raise NotFound(f"the summary cites {cited.chunk_id}, which is not there any more", target=cited.chunk_id)
    return _passage(_paper(library, summary.id), chunk, cited.page if page is None else page)


def _section(source: PaperSourceRevision, node: PaperTreeNode, page: int | None) -> MarkedPlace:
    """A page of a section; on its first one, its heading is marked."""
    page = node.first_page if page is None else page
    if not node.first_page <= page <= node.last_page:
        pages = f"{node.first_page} to {node.last_page}"
        raise NotFound(f"section {node.node_id} covers the pages {pages}, not {page}", target=str(page))
    blocks = source.pages[page - 1].blocks if page == node.first_page and node.parent_id is not None else ()
    boxes = tuple(block.box for block in blocks if block.start <= node.start < block.end)
    return MarkedPlace(source, page, boxes, f"section {node.node_id}, {node.title}")


def _whole_page(source: PaperSourceRevision, page: int | None) -> MarkedPlace:
    page = 1 if page is None else page
    if not 1 <= page <= len(source.pages):
        raise NotFound(f"the paper has {len(source.pages)} pages, and no page {page}", target=str(page))
    return MarkedPlace(source, page, (), f"page {page}")


def _on(page: int, boxes: tuple[PageBox, ...]) -> tuple[Box, ...]:
    return tuple(one.box for one in boxes if one.page == page)
