"""``hybridkb paper list``: the papers that searches see."""

from __future__ import annotations

from typing import get_args

import click

from hybridkb.cli.output import print_json, print_table, print_text
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.knowledge.paper_artifacts import ArtifactKind


@click.command("list")
@click.option("--limit", type=click.IntRange(1, 1_000), default=50, show_default=True, help="How many.")
@click.option("--offset", type=click.IntRange(min=0), default=0, help="After how many.")
@global_options
@pass_session
def list_papers(session: Session, /, limit: int, offset: int) -> None:
    """List the papers that searches see now, by where they come from."""
    with session.open(embedder="none") as library:
        page = library.list_items(artifact_kinds=get_args(ArtifactKind), limit=limit, offset=offset)
        papers = [library.get_paper(one.item_id) for one in page.items]
    facts = [
        {
            "title": one.source.title, "source_id": one.source.id, "arxiv_id": one.source.arxiv_id,
            "pages": len(one.source.pages), "chunks": len(one.chunk_set.chunks) if one.chunk_set else 0,
            "summary": one.summary is not None, "available_at": one.source.available_at,
        }
        for one in papers
    ]  # fmt: skip
    if session.as_json:
        print_json({"papers": facts, "total": page.total})
        return
    if not facts:
        print_text("no papers; take one in with `hybridkb paper add`")
        return
    heads = ("title", "id", "arXiv", "pages", "passages", "summary", "available")
    print_table(heads, [tuple(one.values()) for one in facts])
    if page.total > offset + len(facts):
        print_text(f"{len(facts)} of {page.total:,}; --offset {offset + len(facts)} shows more")
