"""The managed memory: sources in with their provenance, searched by trust, counted against what should be there.

Runs offline; the library is made anew in a temporary folder. The sources lie in examples/memory/.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hybridkb import HybridLibrary
from hybridkb.memory import (
    CollectedCards,
    collect_article_sources,
    collect_lineage_sources,
    collect_scout_sources,
    coverage_report,
    ingest_sources,
)

SOURCES = Path(__file__).resolve().parent / "memory"


def main() -> None:
    with TemporaryDirectory() as place:
        folder = Path(place, "memory")
        shutil.copytree(SOURCES, folder)
        with HybridLibrary.open(Path(place, "memory.db")) as library:
            fill(library, folder)
            ask(library)
            count(library, folder)


def collect(folder: Path) -> CollectedCards:
    """Read all sources; what cannot be read would be listed, not raised."""
    return (
        collect_article_sources(folder / "articles")
        + collect_scout_sources(folder / "scouts")
        + collect_lineage_sources(folder / "lineage")
    )


def fill(library: HybridLibrary, folder: Path) -> None:
    """Put the cards, then put them again: the second time there is nothing to do."""
    report = ingest_sources(library, collect(folder))
    print(f"{len(report.slugs)} cards, {report.chunks_written} chunks, by source {report.by_source}")
    print("not yet:", ", ".join(f"{one.slug} ({one.status})" for one in report.upcoming))
    again = ingest_sources(library, collect(folder))
    print(f"again: {len(again.unchanged)} unchanged, {again.embedded} embedded\n")


def ask(library: HybridLibrary) -> None:
    """The same words, by who may be believed, by what was decided, and by what was known on a day."""
    show(library, "momentum scaled by its own volatility")
    show(library, "momentum scaled by its own volatility", sources=["lineage"], verdicts=["discard"])
    show(library, "haircuts in repo", min_trust="article")
    show(library, "alternative data for retailers", sources=["scout"], verdicts=["infeasible"])
    show(library, "execution costs", available_at_before=datetime(2024, 3, 31, tzinfo=UTC))


def show(library: HybridLibrary, query: str, **filters: Any) -> None:
    print(f"{query}  {filters or ''}")
    for hit in library.search(query, top_k=3, **filters):
        card = hit.provenance
        assert card is not None
        verdict = f", {card.verdict}" if card.verdict else ""
        print(f"  {hit.title}, chunk {hit.node_id}  ({card.source}{verdict}, {card.doc_date})")
    print()


def count(library: HybridLibrary, folder: Path) -> None:
    """Change the sources behind the library's back, and let coverage tell."""
    article = folder / "articles" / "options" / "variance-premium.md"
    article.write_text(article.read_text(encoding="utf-8") + "\nOne more thought.\n", encoding="utf-8")
    (folder / "articles" / "options" / "skew.md").write_text("---\ntitle: Skew\n---\nA new page.\n", encoding="utf-8")
    report = coverage_report(folder / "articles", library, sources=["article"])
    print(f"{report.coverage_pct:.1f} % of the articles are in; missing {report.missing}, stale {report.stale}")
    ingest_sources(library, collect_article_sources(folder / "articles"))
    report = coverage_report(folder / "manifest.csv", library, sources=["article"])
    print(f"{report.coverage_pct:.1f} % of the manifest; not in it: {report.orphans}; upcoming: {report.upcoming}")


if __name__ == "__main__":
    main()
