"""The example sources: enough of each kind, read without a fault, and a gold set whose answers are there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from conftest import Opener
from hybridkb.evaluation import load_gold_set
from hybridkb.knowledge.card import chunk_locator
from hybridkb.memory import (
    CollectedCards,
    collect_article_sources,
    collect_lineage_sources,
    collect_scout_sources,
    coverage_report,
    ingest_sources,
)
from hybridkb.memory.card_lines import collect_card_lines

SOURCES = Path(__file__).resolve().parents[2] / "examples" / "memory"


def everything() -> CollectedCards:
    return (
        collect_article_sources(SOURCES / "articles")
        + collect_scout_sources(SOURCES / "scouts")
        + collect_lineage_sources(SOURCES / "lineage")
        + collect_card_lines(SOURCES / "deep_research.jsonl")
    )


def test_there_is_enough_of_each_kind_and_no_fault() -> None:
    collected = everything()
    assert (collected.skipped, collected.notes) == ((), ())
    counts = Counter(card.provenance.source for card in collected)
    assert counts["article"] >= 8
    assert counts["scout"] >= 6
    assert counts["lineage"] >= 20
    assert len(collected.upcoming) == 3
    assert {card.provenance.verdict for card in collected} >= {"keep", "discard", "feasible", "infeasible"}
    assert all(card.available_at is not None and card.provenance.doc_date for card in collected)


def test_the_manifest_agrees_with_the_articles(open_library: Opener) -> None:
    library = open_library(embedder=None)
    report = ingest_sources(library, everything())
    assert sum(count > 1 for count in coverage_report(everything(), library).chunk_counts.values()) == 3
    assert not report.skipped
    coverage = coverage_report(SOURCES / "manifest.csv", library, sources=["article"])
    assert (coverage.coverage_pct, coverage.missing, coverage.orphans) == (100.0, (), ())
    assert coverage_report(everything(), library).stale == ()


def test_the_gold_set_points_at_chunks_that_are_there(open_library: Opener) -> None:
    library = open_library(embedder=None)
    ingest_sources(library, everything())
    lines = [json.loads(line) for line in (SOURCES / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 20
    for line in lines:
        for answer in line["relevant"]:
            assert library.resolve(chunk_locator(answer["slug"], answer["chunk"]))
    gold = load_gold_set(SOURCES / "gold.jsonl")
    assert len(gold.records) == len(lines)
