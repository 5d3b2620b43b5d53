"""``hybridkb paper add``: fetch or read a paper, make its passages, sections and summary, and store all of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.instants import availability
from hybridkb.cli.output import plain, print_facts, print_json, print_text
from hybridkb.cli.progress import progress, steps
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import NotFound

if TYPE_CHECKING:
    from hybridkb import HybridLibrary
    from hybridkb.ingest import PaperReport
    from hybridkb.papers import PaperFlowConfig, PaperFlowResult

DOING = {
    "fetch": "fetching",
    "read": "reading pages",
    "split": "cutting passages",
    "tree": "finding sections",
    "summary": "summarising",
}


@click.command()
@click.argument("source", metavar="FILE|ARXIV_ID")
@click.option("--model", metavar="NAME", help="Makes the summary; or set HYBRIDKB_SUMMARY_MODEL.")
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible service; or set HYBRIDKB_SUMMARY_URL.")
@click.option("--no-summary", is_flag=True, help="Make no summary; nothing is asked of a model.")
@click.option("--no-tree", is_flag=True, help="Make no tree of sections.")
@click.option("--no-images", is_flag=True, help="Keep no pictures.")
@click.option("--characters", type=int, default=1_500, show_default=True, help="About how long a passage is.")
@click.option("--overlap", type=int, default=0, show_default=True,
              help="How much a passage repeats of the one before.")  # fmt: skip
@click.option("--variant", default="", metavar="LABEL", help="Make siblings, also when all else is the same.")
@click.option("--title", metavar="TEXT", help="Instead of what the source says.")
@click.option("--tag", "tags", multiple=True, metavar="TEXT", help="A tag of the paper; several.")
@click.option("--confidence", type=click.Choice(["low", "medium", "high"]), default="medium", show_default=True,
              help="How sure you are of it.")  # fmt: skip
@click.option("--published-at", type=availability, metavar="TIME",
              help="When it appeared; files do not say. A day alone is its last moment.")  # fmt: skip
@click.option("--available-at", type=availability, metavar="TIME",
              help="When a researcher could first see it, if that was later.")  # fmt: skip
@click.option("--arxiv-url", metavar="URL", help="A mirror that answers as arXiv does.")
@global_options
@pass_session
@click.pass_context
def add(context: click.Context, session: Session, /, source: str, **options: Any) -> None:
    """Take in a paper: a PDF file, or a paper of arXiv in any form (1706.03762v7, arXiv:..., its address).

    It is fetched or read, cut into passages, its sections are found, and a model summarises it with citations. All of
    that is stored, or nothing. The same again changes nothing. The key of the model's service is read from
    HYBRIDKB_SUMMARY_KEY, else OPENAI_API_KEY. The exit code is 1 when texts have no vector yet.
    """
    from hybridkb.papers import ArxivFetcher, paper_flow
    from hybridkb.papers.flow import check_can_start

    config = _config(options)
    fetcher = None if options["arxiv_url"] is None else ArxivFetcher(options["arxiv_url"])
    check_can_start(source, config)  # before a library is made for it
    with session.open(read_only=False, create=True) as library:
        with steps(session, DOING) as tell:
            result = asyncio.run(paper_flow(source, config, fetcher=fetcher, progress=tell))
        with progress(session, "embedding") as move:
            report = library.put_paper(result, require_embeddings=session.embedder != "none", progress=move)
        result = _kept(library, result, report)
    if session.as_json:
        print_json(_facts(result, report))
    else:
        _print(result, report)
    if report.pending and session.embedder != "none":
        context.exit(FINDINGS)


def _config(options: dict[str, Any]) -> PaperFlowConfig:
    from hybridkb.papers import PaperFlowConfig, SplitterConfig

    given = ("model", "base_url", "variant", "title", "tags", "confidence", "published_at", "available_at")
    return PaperFlowConfig(
        summarise=not options["no_summary"],
        tree=not options["no_tree"],
        images=not options["no_images"],
        splitter=SplitterConfig(characters=options["characters"], overlap=options["overlap"]),
        **{name: options[name] for name in given},
    )


def _kept(library: HybridLibrary, result: PaperFlowResult, report: PaperReport) -> PaperFlowResult:
    """Put what the library holds in place of what this run made: a first time stays, and so does a stored summary."""
    try:
        held: dict[str, Any] = {
            one.kind.removeprefix("paper_"): library.get_artifact(one.artifact_id) for one in report.artifacts
        }
        if report.effect in {"unchanged", "corrected"}:
            held["source"] = library.get_paper(report.source_id).source
    except NotFound:  # withdrawn, or not published yet
        return result
    return replace(result, **held)


def _facts(result: PaperFlowResult, report: PaperReport) -> dict[str, Any]:
    source, summary = result.source, result.summary
    return {
        "source_id": source.id,
        "title": source.title,
        "arxiv_id": source.arxiv_id,
        "pages": len(source.pages),
        "chunks": len(result.chunk_set.chunks),
        "sections": None if result.tree is None else len(result.tree.nodes) - 1,
        "available_at": source.available_at,
        "availability_basis": source.availability_basis,
        "notes": source.notes,
        "summary": summary and {"text": summary.text, "cited": plain(summary.cited), "use": plain(summary.use)},
        "report": report,
    }


def _print(result: PaperFlowResult, report: PaperReport) -> None:
    source, summary = result.source, result.summary
    print_facts({
        "paper": source.title,
        "id": source.id,
        "arXiv": source.arxiv_id,
        "pages": len(source.pages),
        "passages": len(result.chunk_set.chunks),
        "sections": None if result.tree is None else len(result.tree.nodes) - 1,
        "summary": "none, as asked for" if summary is None else f"{len(summary.text):,} characters, "
        f"{len(summary.cited)} citations, {summary.use.calls} calls of {summary.extraction.model}",
        "available": source.available_at,
        "since": {"stated": "as stated", "published": "its publication", "fetched": "it was fetched"}.get(
            source.availability_basis or ""
        ),
        "stored": _stored(report),
        "withdrawn": "still, so searches do not find it" if report.withdrawn else None,
        "embedded": f"{report.embedded:,} texts, {report.reused:,} known",
        "pending": f"{report.pending:,} texts without a vector" if report.pending else None,
        "words only": report.degraded,
    })  # fmt: skip
    for note in source.notes:
        print_text(f"note: {note}")


def _stored(report: PaperReport) -> str:
    effects = {"source": report.effect} | {one.kind.removeprefix("paper_"): one.effect for one in report.artifacts}
    if set(effects.values()) == {"unchanged"}:
        return "nothing changed"
    return ", ".join(f"{name.replace('_', ' ')} {effect}" for name, effect in effects.items())
