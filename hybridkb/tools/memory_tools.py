"""Tools of the managed memory: read the sources again, measure, add a research note, tell what is missing.

They are served in write mode only. An agent names no file and no gold set: whoever starts the server does. What it
adds is of the class ``scout``, whatever it says of itself, and nothing it may call lets another index serve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridkb.errors import InvalidInput, NotFound
from hybridkb.knowledge import Provenance
from hybridkb.knowledge.card import card_id
from hybridkb.library import HybridLibrary
from hybridkb.snapshot import Snapshot
from hybridkb.tools.cards import name, time_text
from hybridkb.tools.desk import Desk
from hybridkb.tools.parameters import Parameter
from hybridkb.tools.registry import Tool
from hybridkb.tools.safe_text import clean

if TYPE_CHECKING:
    from hybridkb.evaluation import EvaluationReport
    from hybridkb.memory import CollectedCards, IngestReport, KnowledgeCard

SCOUT = "scout"
SCOUT_PREFIX = "agent/"
"""What an agent adds has slugs of its own: it replaces nothing that a person wrote."""
MOST_LISTED = 50
MODES = ("hybrid", "lexical", "semantic")
_LISTS = (
    "missing", "orphans", "stale", "without_provenance", "without_vectors", "truncated", "without_availability",
    "upcoming",
)  # fmt: skip

Sources: TypeAlias = "Callable[[str], CollectedCards | None]"
"""Reads the sources that the server was started with, given the library's time zone; None when there are none."""


@dataclass(frozen=True, slots=True)
class MemoryTools:
    """What the server was started with.

    Attributes:
        sources: reads what should be in the memory.
        gold: the judgements that evaluations are made with; None for the default of ``resolve_gold_set``.
    """

    sources: Sources
    gold: str | Path | None = None

    def tools(self) -> tuple[Tool, ...]:
        """The tools, for a registry."""
        return (
            Tool(
                name="reindex_memory",
                title="Read the memory's sources again",
                description=(
                    "With what=sources read all sources that this server was started with and replace what changed; "
                    "what did not is left alone. With what=index build everything derived anew beside the index that "
                    "serves and evaluate it; a person decides whether it is promoted."
                ),
                parameters=_REINDEX,
                function=self.reindex,
                writes=True,
            ),
            Tool(
                name="evaluate_memory",
                title="Measure how well the memory is found",
                description=(
                    "Ask the questions of the gold set that this server was started with, and say recall, precision, "
                    "nDCG and MRR at k for words, meaning and both, with 95 % intervals, and whether recall is below "
                    "that of the last promoted run. The result is kept as a run."
                ),
                parameters=_EVALUATE,
                function=self.evaluate,
                writes=True,
            ),
            Tool(
                name="ingest_scout",
                title="Add a research note",
                description=(
                    "Keep a note of outside research, with its verdict, in the memory. It is of the trust class scout "
                    "and observable from now on; the same slug again replaces it."
                ),
                parameters=_SCOUT,
                function=self.ingest_scout,
                writes=True,
            ),
            Tool(
                name="coverage",
                title="What should be in the memory, and is not",
                description=(
                    "Compare the sources that this server was started with with what is in the memory: percentage, "
                    "missing, orphans, stale, without vectors, without availability. Lists are cut; counts are whole."
                ),
                parameters=(),
                function=self.coverage,
                writes=True,
            ),
        )

    def reindex(self, desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer ``reindex_memory``."""
        from hybridkb.evaluation import reindex
        from hybridkb.memory import ingest_sources

        library = _library(desk)
        if arguments.get("what", "sources") == "sources":
            return _ingested(ingest_sources(library, self._collected(library)))
        report = reindex(library, gold=_text(self.gold))
        counts = {"records": report.records, "embedded": report.embedded, "pending": report.pending}
        return {"run": report.run, **counts, **_evaluated(report.evaluation)}

    def evaluate(self, desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer ``evaluate_memory``. No question of the gold set is told."""
        from hybridkb.evaluation import evaluate

        chosen = arguments.get("modes") or list(MODES)
        report = evaluate(_library(desk), _text(self.gold), k=arguments.get("k", 10), modes=chosen)
        return _evaluated(report)

    def ingest_scout(self, desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer ``ingest_scout``."""
        from hybridkb.memory import ingest_sources

        library = _library(desk)
        now = datetime.now(UTC)
        card = _scout(arguments, now, now, now.date().isoformat())
        return _ingested(ingest_sources(library, [_standing(library, card, arguments) or card]))

    def coverage(self, desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer ``coverage``."""
        from hybridkb.memory import coverage_report

        library = _library(desk)
        report = coverage_report(self._collected(library), library)
        return {
            "coverage_pct": report.coverage_pct,
            "expected": report.expected,
            "covered": report.covered,
            "taken_at": time_text(report.taken_at),
            **{key: _listed(getattr(report, key)) for key in _LISTS},
            "unreadable": _listed(f"{one.place}: {one.reason}" for one in report.unreadable),
            "not_counted": {key: name(reason, 200) for key, reason in report.not_counted.items()},
        }

    def _collected(self, library: HybridLibrary) -> CollectedCards:
        found = self.sources(library.settings.zone)
        if found is None:
            raise InvalidInput(
                "this server was started without sources of the memory; start it with --articles, --scouts, --lineage "
                "or --cards",
                field="sources",
            )
        return found


def _library(desk: Desk) -> HybridLibrary:
    """The library itself, today.

    Raises:
        InvalidInput: the desk shows a moment of the past, at which nothing can be written or measured.
    """
    source = desk.source if isinstance(desk.source, HybridLibrary | Snapshot) else desk.folder.library
    if desk.fixed is not None or isinstance(source, Snapshot):
        raise InvalidInput("this desk has a fixed cutoff; the memory is kept where there is none", field="cutoff")
    return source


def _scout(
    arguments: Mapping[str, Any], as_of: datetime, available_at: datetime | None, doc_date: str | None
) -> KnowledgeCard:
    """An agent's note as a card."""
    from hybridkb.memory import KnowledgeCard

    return KnowledgeCard(
        SCOUT_PREFIX + arguments["slug"].removeprefix(SCOUT_PREFIX),
        clean(arguments["text"]),
        Provenance(SCOUT, arguments.get("kind"), doc_date, arguments.get("verdict"), arguments.get("link")),
        title=clean(arguments["title"]) if arguments.get("title") else None,
        tags=arguments.get("tags", ()),
        as_of=as_of,
        available_at=available_at,
    )


def _standing(library: HybridLibrary, card: KnowledgeCard, arguments: Mapping[str, Any]) -> KnowledgeCard | None:
    """The card that stands there, when it says the same but for its times: a call made twice writes once."""
    try:
        held = library.get(card_id(card.slug))
    except NotFound:
        return None
    doc_date = held.provenance.doc_date if held.provenance is not None else None
    same = _scout(arguments, held.as_of, held.available_at, doc_date)
    return same if same.content_hash == held.source.content_hash else None


def _ingested(report: IngestReport) -> dict[str, Any]:
    changed = {
        key: _listed(getattr(report, key))
        for key in ("added", "revised", "corrected", "superseded", "withdrawn")
        if getattr(report, key)
    }
    return {
        "chunks_written": report.chunks_written,
        "by_source": report.by_source,
        **changed,
        "unchanged": len(report.unchanged),
        "embedded": report.embedded,
        "reused": report.reused,
        "pending": report.pending,
        "degraded": name(report.degraded, 300) if report.degraded else None,
        "skipped": _listed(f"{one.place}: {one.reason}" for one in report.skipped),
        "upcoming": len(report.upcoming),
    }


def _evaluated(report: EvaluationReport) -> dict[str, Any]:
    """The figures of an evaluation, and what the gate says; the questions stay in the house."""
    return {
        "run": report.run,
        "gold": name(report.gold),
        "k": report.k,
        "queries": report.queries,
        "figures": {
            mode: {measure: [one.value, one.low, one.high] for measure, one in measures.items()}
            for mode, measures in report.figures.items()
        },
        "skipped": {mode: name(reason, 200) for mode, reason in report.skipped.items()},
        "promote": report.promote,
        "reasons": [name(reason, 300) for reason in report.gate.reasons],
        "lost": len(report.lost),
        "won": len(report.won),
        "notes": [name(note, 300) for note in report.notes],
    }


def _listed(names: Iterable[str]) -> dict[str, Any]:
    """How many, and the first of them."""
    every = list(names)
    return {"count": len(every), "first": [name(one, 200) for one in every[:MOST_LISTED]]}


def _text(path: str | Path | None) -> str | None:
    return None if path is None else str(path)


_REINDEX = (
    Parameter(
        "what", "text", "sources: read the sources again. index: build the index anew beside the one that serves.",
        choices=("sources", "index"), default="sources",
    ),
)  # fmt: skip
_EVALUATE = (
    Parameter("k", "integer", "How many hits count.", least=1, most=1000, default=10),
    Parameter("modes", "texts", "Which rankings to measure; all without it.", choices=MODES),
)
_SCOUT = (
    Parameter("slug", "text", "Names the note: lower-case words joined by hyphens.", required=True),
    Parameter("text", "text", "The note.", required=True),
    Parameter("title", "text", "What it is called."),
    Parameter("verdict", "text", "What came out, such as feasible, partly or not feasible."),
    Parameter("kind", "text", "What kind of note it is, such as paper or vendor."),
    Parameter("link", "text", "Where it was found."),
    Parameter("tags", "texts", "Words to filter by."),
)
