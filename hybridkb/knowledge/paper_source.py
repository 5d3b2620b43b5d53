"""One exact paper as it was fetched: pages with their text, blocks with their boxes, pictures, times.

Its identity is the SHA-256 of the bytes. What was derived from it stands in
:mod:`hybridkb.knowledge.paper_artifacts`; the bytes themselves are blobs, named by their own SHA-256.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, model_validator
from pydantic_core import PydanticCustomError

from hybridkb.knowledge.base import KnowledgeModel, Name
from hybridkb.knowledge.card import AvailabilityBasis
from hybridkb.knowledge.identity import stable_id
from hybridkb.knowledge.item import KnowledgeItem

BlockRole = Literal["text", "heading", "caption", "table", "header", "footer", "margin"]
"""What a block is. Headers and footers are the lines that come again from page to page; a margin runs another way."""

PageState = Literal["text", "no_text", "unreadable", "broken"]
"""``no_text``: blank, or only pictures; ``unreadable``: its fonts name no characters; ``broken``: cannot be opened."""

_HEXADECIMAL = frozenset("0123456789abcdef")


def blob_name(data: bytes) -> str:
    """The name of a blob: the SHA-256 of its bytes in hexadecimal."""
    return sha256(data).hexdigest()


def source_id_of(blob: str) -> UUID:
    """The id of the source revision whose bytes have this SHA-256 (hexadecimal)."""
    return stable_id("paper_source", blob)


def _check_hash(value: str) -> str:
    if len(value) != 64 or not _HEXADECIMAL.issuperset(value):
        raise PydanticCustomError("sha256", "is not a SHA-256 in 64 lower-case hexadecimal digits")
    return value


def _check_box(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    if left > right or top > bottom:
        raise PydanticCustomError("box", "has its left behind its right, or its top below its bottom")
    return box


Sha256 = Annotated[str, AfterValidator(_check_hash)]
"""64 lower-case hexadecimal digits."""

Box = Annotated[tuple[float, float, float, float], AfterValidator(_check_box)]
"""Left, top, right, bottom in points (1/72 inch) from the upper left corner of the page as it is shown."""


class TextBlock(KnowledgeModel):
    """A paragraph, heading, table or running line of a page.

    Attributes:
        start, end: its characters in the page's text.
        box: where it stands.
        font: the name of the font of most of its characters, as the file names it; None when it names none.
        size: size of that font in points.
        bold: whether most of it is bold.
        role: what it is.
    """

    start: NonNegativeInt
    end: NonNegativeInt
    box: Box
    font: str | None = None
    size: Annotated[float, Field(ge=0)] = 0.0
    bold: bool = False
    role: BlockRole = "text"


class PaperAsset(KnowledgeModel):
    """A picture of a page, or on it. Its bytes are the blob ``sha256``.

    Attributes:
        asset_id: unique in its source, such as ``"p3-image-1"`` or ``"p3-page"``.
        kind: an image of the file, or a screenshot of the whole page.
        sha256: names the bytes.
        media_type: such as ``"image/png"``.
        size: in bytes.
        page: the physical page, from 1.
        box: where it stands; the whole page for a screenshot.
        width, height: in pixels.
    """

    asset_id: Name
    kind: Literal["image", "screenshot"]
    sha256: Sha256
    media_type: Name
    size: PositiveInt
    page: PositiveInt
    box: Box
    width: PositiveInt
    height: PositiveInt


class PaperPage(KnowledgeModel):
    """One physical page.

    Attributes:
        number: counted from 1, whatever is printed on it.
        label: the number that the file says is printed on it, such as ``"iv"``.
        width, height: in points, as shown.
        text: everything legible in reading order, one block after the other, a blank line between: ligatures written
            out, words cut at a line's end joined. Empty unless ``state`` is ``"text"``.
        blocks: what the text is made of, in the same order; they do not overlap.
        state: whether it could be read.
    """

    number: PositiveInt
    label: str | None = None
    width: Annotated[float, Field(gt=0)]
    height: Annotated[float, Field(gt=0)]
    text: str = ""
    blocks: tuple[TextBlock, ...] = ()
    state: PageState = "text"

    @model_validator(mode="after")
    def _blocks_fit(self) -> Self:
        at = 0
        for block in self.blocks:
            if not at <= block.start < block.end <= len(self.text):
                raise PydanticCustomError("blocks", "page {page}: blocks do not fit the text", {"page": self.number})
            at = block.end
        return self


class OutlineEntry(KnowledgeModel):
    """An entry of the file's own outline (its bookmarks).

    Attributes:
        level: from 0, the outermost.
        title: as written, on one line.
        page: the physical page it leads to, from 1; None when it leads nowhere.
        top: how far down that page, in points; None is its top.
    """

    level: NonNegativeInt
    title: str
    page: PositiveInt | None = None
    top: float | None = None


class PaperSourceRevision(KnowledgeItem):
    """One exact paper: what its bytes say, and what is known about where and when it appeared. No vectors, no summary.

    ``source.published_at`` and ``source.fetched_at`` are its times, ``available_at`` follows the publication, else the
    fetching (``availability_basis`` says which).

    Attributes:
        sha256: of the bytes; the id is made from it (:func:`source_id_of`).
        size: of the bytes. media_type: of the bytes.
        title: what the paper is called.
        authors: in the order of the paper; empty when unknown.
        abstract: as its publisher gives it; empty when unknown.
        arxiv_id: with its version, such as ``"1706.03762v7"``; None for other papers.
        doi: without the address in front.
        availability_basis: what ``available_at`` rests on.
        pages: all of them, from 1.
        assets: pictures, by page.
        outline: the file's own; empty when it has none.
        parser, parser_version: what read the bytes; another one may read them otherwise.
        notes: what could not be read or was left out, one sentence each.
    """

    item_type: Literal["paper_source"] = "paper_source"
    sha256: Sha256
    size: PositiveInt
    media_type: Name = "application/pdf"
    title: str
    authors: tuple[str, ...] = ()
    abstract: str = ""
    arxiv_id: Name | None = None
    doi: Name | None = None
    availability_basis: AvailabilityBasis | None = None
    pages: tuple[PaperPage, ...]
    assets: tuple[PaperAsset, ...] = ()
    outline: tuple[OutlineEntry, ...] = ()
    parser: Name
    parser_version: Name
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        numbers = [page.number for page in self.pages]
        for fault, reason in (
            (self.id != source_id_of(self.sha256), "the id is not that of the bytes (source_id_of)"),
            (not self.title.strip(), "the title is blank; say what the paper is called"),
            (numbers != list(range(1, len(numbers) + 1)), "pages are not numbered from 1"),
            (len({one.asset_id for one in self.assets}) != len(self.assets), "two assets have the same id"),
            (any(one.page > len(self.pages) for one in self.assets), "an asset stands on a page that is not there"),
        ):
            if fault:
                raise PydanticCustomError("paper_source", "{reason}", {"reason": reason})
        return self

    @property
    def blobs(self) -> frozenset[str]:
        """The names of every blob it needs: its own bytes and its assets."""
        return frozenset({self.sha256, *(asset.sha256 for asset in self.assets)})

    @property
    def parse_hash(self) -> str:
        """Names the text of the pages (SHA-256 in hexadecimal): spans of characters are true of this text alone."""
        whole = sha256()
        for page in self.pages:
            whole.update(len(page.text).to_bytes(8, "little") + page.text.encode("utf-8", "surrogatepass"))
        return whole.hexdigest()
