"""A paper made in code, with its passages: for tests that need no PDF."""

from __future__ import annotations

from datetime import UTC, datetime

from hybridkb.knowledge import SourceRef
from hybridkb.knowledge.paper_artifacts import PaperChunk, PaperChunkSet, Span
from hybridkb.knowledge.paper_source import PaperPage, PaperSourceRevision, blob_name, source_id_of

_WORDS = (
    "attention layer encoder decoder translation training sequence model recurrent convolution parallel position "
    "result score query value key head residual norm"
).split()


def passage(number: int, words: int = 60) -> str:
    """A text of its own for each number."""
    chosen = [_WORDS[(number * 7 + place * (number + 3)) % len(_WORDS)] for place in range(words)]
    return f"Passage {number} says that " + " ".join(chosen) + "."


def small_paper(
    pages: int = 4,
    chunks_on_page: int = 3,
    *,
    texts: dict[int, str] | None = None,
    words: int = 60,
    title: str = "Small",
) -> tuple[PaperSourceRevision, PaperChunkSet]:
    """A paper of so many pages, and one passage for each of its blocks; `texts` puts another text at a position."""
    made, chunks = [], []
    position = 0
    for number in range(1, pages + 1):
        text = ""
        for _ in range(chunks_on_page):
            own = (texts or {}).get(position, passage(position, words))
            start = len(text) + 2 if text else 0
            text = f"{text}\n\n{own}" if text else own
            chunks.append(
                PaperChunk(
                    chunk_id=f"c{position + 1:04d}",
                    position=position,
                    text=own,
                    spans=(Span(page=number, start=start, end=start + len(own)),),
                    heading=(f"{number} Section",),
                )
            )
            position += 1
        made.append(PaperPage(number=number, width=612, height=792, text=text))
    data = f"{title}{pages}{chunks_on_page}{texts}{words}".encode()
    published = datetime(2017, 6, 12, tzinfo=UTC)
    source = PaperSourceRevision(
        id=source_id_of(blob_name(data)),
        as_of=published,
        available_at=published,
        source=SourceRef(kind="arxiv", uri="https://arxiv.org/abs/1706.03762v7", published_at=published),
        sha256=blob_name(data),
        size=len(data),
        title=title,
        pages=tuple(made),
        parser="code",
        parser_version="1",
    )
    return source, chunk_set(source, chunks)


def chunk_set(source: PaperSourceRevision, chunks: list[PaperChunk]) -> PaperChunkSet:
    """A chunk set of these passages."""
    return PaperChunkSet.made(
        producer="code",
        producer_version="1",
        configuration={},
        source_id=source.id,
        source=source.source,
        parse_hash=source.parse_hash,
        as_of=source.as_of,
        available_at=source.available_at,
        chunks=tuple(chunks),
    )
