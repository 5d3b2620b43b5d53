"""Small papers without a PDF: pages, blocks, bytes and artifacts made in code, the same in every process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from hybridkb.knowledge import SourceRef
from hybridkb.knowledge.paper_artifacts import (
    ChunkCitation,
    PageBox,
    PaperChunk,
    PaperChunkSet,
    PaperGlobalSummary,
    PaperTree,
    PaperTreeNode,
    Span,
    TokenUse,
)
from hybridkb.knowledge.paper_result import PaperFlowResult
from hybridkb.knowledge.paper_source import (
    BlockRole,
    PaperAsset,
    PaperPage,
    PaperSourceRevision,
    TextBlock,
    blob_name,
    source_id_of,
)
from oracles.items import EPOCH

Page = Sequence[tuple[BlockRole, str]]
"""The blocks of a page in reading order: (role, text)."""

BLANK = "\n\n"

PAGES: tuple[Page, ...] = (
    (
        ("header", "Proceedings of Tests"),
        ("heading", "1 Introduction"),
        ("text", "Recurrent networks read one word after the other, which makes long sentences slow."),
        ("text", "The transformer drops recurrence and convolution and relies on attention alone."),
        ("footer", "1"),
    ),
    (
        ("header", "Proceedings of Tests"),
        ("heading", "2 Model"),
        ("text", "Multi-head attention runs several attention functions side by side and joins their outputs."),
        ("text", "The encoder is a stack of six layers; the decoder looks at the encoder through attention."),
        ("footer", "2"),
    ),
    (
        ("header", "Proceedings of Tests"),
        ("heading", "3 Results"),
        ("text", "On translation from English to German the model reaches 28.4 BLEU, better than ensembles."),
        ("footer", "3"),
    ),
)
SECTIONS = (("1 Introduction", 1), ("2 Model", 2), ("3 Results", 3))
TITLE = "Attention in Tests"


def make_page(number: int, blocks: Page) -> PaperPage:
    """A page whose text is that of its blocks, a blank line between each two."""
    at, made = 0, []
    for place, (role, text) in enumerate(blocks):
        box = (72.0, 72.0 + 40.0 * place, 540.0, 100.0 + 40.0 * place)
        made.append(TextBlock(start=at, end=at + len(text), box=box, font="Tests", size=10.0, role=role))
        at += len(text) + len(BLANK)
    text = BLANK.join(text for _, text in blocks)
    return PaperPage(
        number=number, label=str(number), width=612.0, height=792.0, text=text, blocks=tuple(made),
        state="text" if text else "no_text",
    )  # fmt: skip


def paper_bytes(name: str) -> bytes:
    """Bytes that stand for the file of a paper."""
    return b"%PDF-1.7 " + name.encode() + b" " + bytes(range(256))


def picture_bytes(name: str, page: int) -> bytes:
    """Bytes that stand for a screenshot of a page."""
    return b"\x89PNG " + f"{name} page {page}".encode() + bytes(reversed(range(256)))


def make_source(
    name: str = "attention",
    pages: Sequence[Page] = PAGES,
    *,
    available_at: datetime | None = EPOCH,
    title: str = TITLE,
    pictures: bool = True,
    **fields: Any,
) -> tuple[PaperSourceRevision, dict[str, bytes]]:
    """A source revision with the blobs that it names; its bytes, and so its id, depend on ``name`` alone."""
    data = paper_bytes(name)
    pictured = {page: picture_bytes(name, page) for page in range(1, len(pages) + 1)} if pictures else {}
    assets = tuple(
        PaperAsset(
            asset_id=f"p{page}-page", kind="screenshot", sha256=blob_name(picture), media_type="image/png",
            size=len(picture), page=page, box=(0.0, 0.0, 612.0, 792.0), width=612, height=792,
        )
        for page, picture in pictured.items()
    )  # fmt: skip
    sha256 = blob_name(data)
    given: dict[str, Any] = {
        "as_of": available_at or EPOCH,
        "created_at": EPOCH,
        "source": SourceRef(kind="arxiv", uri=f"https://arxiv.org/abs/{name}", content_hash=sha256),
        "parser": "tests",
        "parser_version": "1",
        "authors": ("A. Tester", "B. Checker"),
    }
    source = PaperSourceRevision(
        id=source_id_of(sha256), sha256=sha256, size=len(data), title=title, available_at=available_at,
        pages=tuple(make_page(number, blocks) for number, blocks in enumerate(pages, start=1)), assets=assets,
        **(given | fields),
    )  # fmt: skip
    return source, {sha256: data, **{blob_name(picture): picture for picture in pictured.values()}}


def make_chunk_set(source: PaperSourceRevision, *, blocks_per_chunk: int = 1, **fields: Any) -> PaperChunkSet:
    """A chunk for every so many blocks of running text of a page, under the heading before them."""
    chunks: list[PaperChunk] = []
    heading = ""
    for page in source.pages:
        run: list[TextBlock] = []
        for block in page.blocks:
            if block.role == "heading":
                heading = page.text[block.start : block.end]
            elif block.role == "text":
                run.append(block)
            if run and (len(run) == blocks_per_chunk or block is page.blocks[-1]):
                chunks.append(_chunk(source, page, run, heading, len(chunks)))
                run = []
    return PaperChunkSet.made(
        producer="tests.splitter", producer_version="1", configuration={"blocks_per_chunk": blocks_per_chunk},
        source_id=source.id, parse_hash=source.parse_hash, **(_of(source) | {"chunks": tuple(chunks)} | fields),
    )  # fmt: skip


def _chunk(
    source: PaperSourceRevision, page: PaperPage, blocks: Sequence[TextBlock], heading: str, place: int
) -> PaperChunk:
    spans = tuple(Span(page=page.number, start=block.start, end=block.end) for block in blocks)
    return PaperChunk(
        chunk_id=f"c{place:04d}",
        position=place,
        text=BLANK.join(page.text[span.start : span.end] for span in spans),
        spans=spans,
        boxes=tuple(PageBox(page=page.number, box=block.box) for block in blocks),
        heading=(heading,) if heading else (),
        asset_ids=tuple(asset.asset_id for asset in source.assets if asset.page == page.number),
    )


def make_summary(
    source: PaperSourceRevision,
    chunk_set: PaperChunkSet,
    text: str = "The paper replaces recurrence by attention and translates better than before.",
    *,
    cited: Sequence[tuple[str, int]] | None = None,
    model: str = "gpt-4o-mini-2024-07-18",
    prompt: str = "1",
    **fields: Any,
) -> PaperGlobalSummary:
    """A summary that cites every chunk, or those named as (chunk, page)."""
    named = [(chunk.chunk_id, chunk.page) for chunk in chunk_set.chunks] if cited is None else cited
    return PaperGlobalSummary.made(
        producer="tests.summary", producer_version="1", configuration={"model": model, "prompt": prompt}, model=model,
        prompt_version=prompt, source_id=source.id, parse_hash=source.parse_hash, text=text,
        chunk_set_id=chunk_set.id, lineage=(chunk_set.id,), use=TokenUse(calls=1, input_tokens=100, output_tokens=20),
        cited=tuple(ChunkCitation(chunk_id=chunk, page=page) for chunk, page in named), **(_of(source) | fields),
    )  # fmt: skip


def make_tree(source: PaperSourceRevision, sections: Sequence[tuple[str, int]] = SECTIONS, **fields: Any) -> PaperTree:
    """A root, and a section for each (title, first page)."""
    last = max(1, len(source.pages))
    ends = [page for _, page in sections[1:]] + [last]
    nodes = [
        PaperTreeNode(
            node_id="0", title=source.title, first_page=1, last_page=last,
            children_ids=tuple(str(place) for place in range(1, len(sections) + 1)),
        )
    ]  # fmt: skip
    for place, ((title, first), end) in enumerate(zip(sections, ends, strict=True), start=1):
        nodes.append(
            PaperTreeNode(node_id=str(place), parent_id="0", title=title, first_page=first, last_page=max(first, end))
        )
    return PaperTree.made(
        producer="tests.tree", producer_version="1", configuration={}, source_id=source.id,
        parse_hash=source.parse_hash, basis="headings", nodes=tuple(nodes), **(_of(source) | fields),
    )  # fmt: skip


def make_result(
    name: str = "attention",
    pages: Sequence[Page] = PAGES,
    *,
    available_at: datetime | None = EPOCH,
    blocks_per_chunk: int = 1,
    summary: str | None = "The paper replaces recurrence by attention and translates better than before.",
    tree: bool = True,
    model: str = "gpt-4o-mini-2024-07-18",
    prompt: str = "1",
    **source_fields: Any,
) -> PaperFlowResult:
    """What a run of the flow would hand over; ``summary=None`` and ``tree=False`` leave these out."""
    source, blobs = make_source(name, pages, available_at=available_at, **source_fields)
    return result_of(
        source, blobs, blocks_per_chunk=blocks_per_chunk, summary=summary, tree=tree, model=model, prompt=prompt
    )


def result_of(
    source: PaperSourceRevision,
    blobs: dict[str, bytes],
    *,
    blocks_per_chunk: int = 1,
    summary: str | None = "The paper replaces recurrence by attention and translates better than before.",
    tree: bool = True,
    model: str = "gpt-4o-mini-2024-07-18",
    prompt: str = "1",
) -> PaperFlowResult:
    """The same for a source that is there already."""
    chunk_set = make_chunk_set(source, blocks_per_chunk=blocks_per_chunk)
    made = None if summary is None else make_summary(source, chunk_set, summary, model=model, prompt=prompt)
    return PaperFlowResult(source, chunk_set, made, make_tree(source) if tree else None, blobs)


def _of(source: PaperSourceRevision) -> dict[str, Any]:
    """What every artifact shares with its source."""
    return {
        "as_of": source.as_of, "available_at": source.available_at, "created_at": source.created_at,
        "source": source.source,
    }  # fmt: skip
