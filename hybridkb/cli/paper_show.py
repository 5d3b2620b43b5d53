"""``hybridkb paper show``: a paper, and what was made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.output import plain, print_facts, print_json, print_table, print_text
from hybridkb.cli.session import Session, global_options, pass_session

if TYPE_CHECKING:
    from hybridkb.papers import Paper, PaperGlobalSummary


@click.command()
@click.argument("name", metavar="ID")
@click.option("--chunks", is_flag=True, help="List every passage too.")
@global_options
@pass_session
def show(session: Session, /, name: str, chunks: bool) -> None:
    """Show a paper: where it comes from, its sections, its summary with citations, its artifacts.

    ID is its id, the locator of anything made of it, or its arXiv id. `hybridkb get` shows the texts.
    """
    with session.open(embedder="none") as library:
        paper = library.get_paper(name)
    if session.as_json:
        print_json(paper_facts(paper))
    else:
        _print(paper, chunks=chunks)


def paper_facts(paper: Paper) -> dict[str, Any]:
    """Name everything about a paper but its texts and the places of its blocks."""
    source, chunk_set, tree = paper.source, paper.chunk_set, paper.tree
    facts = source.model_dump(mode="json", exclude={"pages", "assets", "outline"})
    pages = [
        {"number": one.number, "label": one.label, "state": one.state, "characters": len(one.text)}
        for one in source.pages
    ]
    chunks = None if chunk_set is None else [
        {
            "locator": f"artifact:{chunk_set.id}#{one.chunk_id}", "pages": one.pages, "heading": one.heading,
            "characters": len(one.text), "asset_ids": one.asset_ids,
        }
        for one in chunk_set.chunks
    ]  # fmt: skip
    return {
        "source": facts | {"pages": pages, "assets": [plain(one) for one in source.assets]},
        "chunks": chunks,
        "sections": None if tree is None else {"basis": tree.basis, "nodes": plain(tree.nodes)},
        "summary": None if paper.summary is None else plain(paper.summary),
        "artifacts": paper.artifacts,
    }


def _print(paper: Paper, *, chunks: bool) -> None:
    source = paper.source
    unread = [page.number for page in source.pages if page.state != "text"]
    print_facts({
        "title": source.title,
        "authors": ", ".join(source.authors) or None,
        "id": source.id,
        "arXiv": source.arxiv_id,
        "DOI": source.doi,
        "from": source.source.uri,
        "published": source.source.published_at,
        "available": source.available_at,
        "since": {"stated": "as stated", "published": "its publication", "fetched": "it was fetched"}.get(
            source.availability_basis or ""
        ),
        "fetched": source.source.fetched_at,
        "pages": len(source.pages),
        "unread": ", ".join(map(str, unread)) or None,
        "pictures": len(source.assets) or None,
        "size": f"{source.size:,} bytes, SHA-256 {source.sha256}",
        "read by": f"{source.parser} {source.parser_version}",
        "tags": ", ".join(source.tags) or None,
    })  # fmt: skip
    for note in source.notes:
        print_text(f"note: {note}")
    _print_summary(paper)
    _print_sections(paper)
    if chunks:
        _print_chunks(paper)
    _print_artifacts(paper)


def _print_summary(paper: Paper) -> None:
    summary = paper.summary
    if summary is None:
        print_text("\nno summary")
        return
    print_text(f"\nsummary by {summary.extraction.model}, {summary.use.calls} calls, "
               f"{summary.use.input_tokens:,} tokens in, {summary.use.output_tokens:,} out")  # fmt: skip
    print_text(summary.text)
    print_text("")
    print_table(("citation", "passage", "page", "under"), _citations(paper, summary))


def _citations(paper: Paper, summary: PaperGlobalSummary) -> list[tuple[object, ...]]:
    """The citations by number; headings only where the passages they name are those at hand."""
    chunk_set = paper.chunk_set if paper.chunk_set and paper.chunk_set.id == summary.chunk_set_id else None
    rows: list[tuple[object, ...]] = []
    for number, one in enumerate(summary.cited, start=1):
        chunk = chunk_set.chunk(one.chunk_id) if chunk_set else None
        under = " / ".join(chunk.heading) if chunk else ""
        rows.append((number, f"artifact:{summary.chunk_set_id}#{one.chunk_id}", one.page, under))
    return rows


def _print_sections(paper: Paper) -> None:
    if paper.tree is None:
        print_text("\nno tree of sections")
        return
    rows = [
        (node.node_id, "  " * node.node_id.count(".") + node.title, _pages(node.first_page, node.last_page))
        for node in paper.tree.nodes[1:]
    ]
    print_text(f"\nsections, by its {paper.tree.basis}")
    print_table(("node", "title", "pages"), rows)


def _print_chunks(paper: Paper) -> None:
    if paper.chunk_set is None:
        return
    print_text("")
    rows = [
        (one.chunk_id, _pages(one.pages[0], one.pages[-1]), len(one.text), " / ".join(one.heading))
        for one in paper.chunk_set.chunks
    ]
    print_table(("passage", "pages", "characters", "under"), rows)


def _print_artifacts(paper: Paper) -> None:
    print_text("")
    rows = [
        (
            one.kind, f"artifact:{one.artifact_id}", one.current, one.members, f"{one.producer} {one.producer_version}",
            one.model, one.config_hash[:12], one.recorded_at,
        )
        for one in paper.artifacts
    ]  # fmt: skip
    heads = ("artifact", "locator", "current", "records", "made by", "model", "configuration", "stored")
    print_table(heads, rows)


def _pages(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
