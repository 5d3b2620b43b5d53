"""A paper to passages: each under its heading path, with the pages, characters and boxes that it stands in.

A passage never crosses from one outermost section into the next. It goes over a page break where a paragraph goes on,
or where only a scrap would be left. Running heads, feet and margins belong to no passage; everything else belongs to
one, references too (their heading says what they are). The same paper and configuration give the same passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pydantic import Field, NonNegativeInt, model_validator
from pydantic_core import PydanticCustomError

from hybridkb.documents.limits import MAX_PASSAGE_CHARACTERS, MIN_PASSAGE_CHARACTERS
from hybridkb.knowledge.base import KnowledgeModel
from hybridkb.knowledge.paper_artifacts import PageBox, PaperChunk, PaperChunkSet, Span
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.papers.artifact_fields import shared_fields, with_variant
from hybridkb.papers.chunk_packing import Piece, pack
from hybridkb.papers.chunk_pictures import Pictures
from hybridkb.papers.sections import Section, find_sections, kept_blocks

PRODUCER = "hybridkb.papers.split"
PRODUCER_VERSION = "2"
"""Changes whenever the same paper and configuration would give other passages."""


class SplitterConfig(KnowledgeModel):
    """How a paper is cut; all of it is part of what names the chunk set.

    Attributes:
        characters: about how long a passage is; up to a fifth more where only a scrap would be left over.
        overlap: the most that a passage repeats, on top, of the one before it in its section; at most half of it.
    """

    characters: int = Field(default=1_500, ge=MIN_PASSAGE_CHARACTERS, le=MAX_PASSAGE_CHARACTERS)
    overlap: NonNegativeInt = 0

    @model_validator(mode="after")
    def _overlap_fits(self) -> SplitterConfig:
        if self.overlap > self.characters // 2:
            reason = f"an overlap of {self.overlap:,} is more than half of {self.characters:,} characters"
            raise PydanticCustomError("overlap", "{reason}", {"reason": reason})
        return self


def split(source: PaperSourceRevision, config: SplitterConfig | None = None, *, variant: str = "") -> PaperChunkSet:
    """Cut a paper into passages.

    Args:
        source: the paper.
        config: how it is cut.
        variant: a label that keeps this set apart from another one made the same way.
    """
    config = config or SplitterConfig()
    pictures = Pictures(source)
    chunks: list[PaperChunk] = []
    texts = {page.number: page.text for page in source.pages}
    for _, group in groupby(_pieces(source), key=lambda piece: piece.outermost):
        for repeated, own in pack(list(group), texts, config.characters, config.overlap):
            chunks.append(_chunk(len(chunks), [*repeated, *own], _heading(own), texts, pictures))
    return PaperChunkSet.made(
        producer=PRODUCER,
        producer_version=PRODUCER_VERSION,
        configuration=with_variant(config.model_dump(mode="json"), variant),
        chunks=tuple(chunks),
        **shared_fields(source),
    )


def _pieces(source: PaperSourceRevision) -> Iterable[Piece]:
    """Every block that is kept, in reading order, under the section it stands in."""
    _, sections = find_sections(source)
    at, outermost = -1, -1
    path: list[Section] = []
    for page in source.pages:
        for block in kept_blocks(page):
            while at + 1 < len(sections) and sections[at + 1].place <= (page.number, block.start):
                at += 1
                path = [one for one in path if one.level < sections[at].level] + [sections[at]]
                outermost += len(path) == 1
            text = page.text[block.start : block.end]
            start = block.start + len(text) - len(text.lstrip())
            end = block.start + len(text.rstrip())
            if start < end:
                heading = tuple(one.title for one in path)
                yield Piece(page.number, start, end, block, heading, section=at, outermost=outermost)


def _chunk(
    position: int, pieces: Sequence[Piece], heading: tuple[str, ...], texts: dict[int, str], pictures: Pictures
) -> PaperChunk:
    spans = _spans(pieces, texts)
    text = "\n\n".join(texts[span.page][span.start : span.end] for span in spans)
    places = dict.fromkeys((piece.page, piece.block.box) for piece in pieces)
    boxes = tuple(PageBox(page=page, box=box) for page, box in places)
    return PaperChunk(
        chunk_id=f"c{position + 1:04}",
        position=position,
        text=text,
        spans=spans,
        boxes=boxes,
        heading=heading,
        asset_ids=pictures.of(text, boxes),
    )


def _spans(pieces: Sequence[Piece], texts: dict[int, str]) -> tuple[Span, ...]:
    """The pieces joined where nothing but white space lies between them."""
    spans: list[Span] = []
    for piece in pieces:
        last = spans[-1] if spans else None
        start = piece.start
        if last and last.page == piece.page and not texts[piece.page][last.end : piece.start].strip():
            start = spans.pop().start
        spans.append(Span(page=piece.page, start=start, end=piece.end))
    return tuple(spans)


def _heading(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """The heading path that most of the passage stands under; of several the first."""
    lengths: dict[tuple[str, ...], int] = {}
    for piece in pieces:
        lengths[piece.heading] = lengths.get(piece.heading, 0) + piece.length
    return max(lengths, key=lambda heading: lengths[heading])
