"""The section about judged collections: what hybridkb finds beside the textbook recipe, and beside its own legs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from peers.cells import table, three

from report import bm25s_part, compared
from report.parts import (
    MEASURES,
    MODES,
    OURS,
    RECIPE,
    RECIPE_TITLE,
    Found,
    Results,
    Run,
    Section,
    dataset,
    missing,
    paragraphs,
    picture,
    relative,
)
from report.rows import Mark, Panel, Row, RowsPlot, Series

PUBLISHED = Path(__file__).resolve().parents[1] / "published.toml"
ENGINES = {OURS: OURS, RECIPE: RECIPE_TITLE}
_ABOUT = {
    "cranfield": "abstracts about aerodynamics, questions of researchers",
    "financebench": "pages of filings, analysts' questions; pages nobody judged can hold the same figure",
    "fomc": "speeches, minutes and statements of the Federal Reserve; a speech is sought by its title",
    "nfcorpus": "medical abstracts, lay questions; text without function words, which is hard on embeddings",
}
_SERIES = {OURS: Series(OURS, "circle"), RECIPE: Series(RECIPE_TITLE, "square", "other", hollow=True)}
_TOP = """## What it finds

Both engines get the same documents, queries and vectors. Every hit list is judged by trec_eval's measures: nDCG@10 asks
how high the right documents stand, recall@100 how many of them are there at all. hybridkb has its default settings on
every collection. In bold stands the better of the two engines."""
_GAIN = """### Both legs together, against the better of the two

The difference on the same queries, with the 95 % interval of a paired bootstrap over them. An interval that crosses
zero says that these queries cannot tell."""
_PUBLISHED = """### Against published figures of Lucene

Words alone, hybridkb's lexical leg beside what Pyserini publishes for Lucene's BM25 (`bench/published.toml`); of the
other collections nothing comparable is published."""


def stored(results: Results) -> list[Found]:
    """The runs of ``bench/quality.py``, by name."""
    return [found for name, found in sorted(results.items()) if name.startswith("quality-")]


def section(results: Results) -> Section:
    """The section; where nothing is stored, the command alone."""
    runs = stored(results)
    if not runs:
        return Section(paragraphs(_TOP, missing("judged collections", ["python bench/quality.py DATASET"])))
    beside, gain = _beside(runs), _gain(runs)
    text = paragraphs(
        _TOP,
        picture("quality.svg", beside.title),
        _table(runs),
        _collections(runs),
        _GAIN,
        picture("hybrid-gain.svg", gain.title),
        _gains(runs),
        compared.documents(runs),
        compared.feedback(runs),
        bm25s_part.part(results),
        _published(runs),
    )
    return Section(
        text,
        {"quality.svg": beside.draw(), "hybrid-gain.svg": gain.draw()},
        [Run(f"{found['dataset']}, vectors {found['vectors']}", _command(found), found) for found in runs]
        + bm25s_part.runs(results),
    )


def in_short(results: Results) -> list[str]:
    """What the figures say in a sentence each."""
    runs = stored(results)
    gains = [found["scores"][OURS]["hybrid_minus_best"]["ndcg_at_10"] for found in runs if _has_gain(found, OURS)]
    lines = []
    if gains:
        higher, clear = sum(one["value"] > 0 for one in gains), sum(one["low"] > 0 for one in gains)
        legs = [(_value(found, OURS, "hybrid"), _better_leg(found)) for found in runs if _has_gain(found, OURS)]
        lines.append(
            f"**Words and meaning together** find more than the better of the two on {higher} of {len(gains)} "
            f"collections (nDCG@10; on {clear} the whole 95 % interval lies above zero), on average by "
            f"{relative(legs):+.1%}."
        )
    pairs = [(_value(found, OURS, "hybrid"), _value(found, RECIPE, "hybrid")) for found in runs if _has_both(found)]
    if pairs:
        better = sum(one > other for one, other in pairs)
        lines.append(
            f"**Against the {RECIPE_TITLE}** (FTS5 and vec0 in SQL) the fused answer is better on {better} of "
            f"{len(pairs)} collections, on average by {relative(pairs):+.1%} nDCG@10."
        )
    return lines


def _beside(runs: Sequence[Found]) -> RowsPlot:
    panels = []
    for label, shown in MEASURES.items():
        rows = []
        for found in runs:
            scores = {engine: found["scores"][engine]["hybrid"] for engine in ENGINES if _has(found, engine, "hybrid")}
            marks = [_mark(_SERIES[engine], score[label]) for engine, score in scores.items()]
            rows.append(Row(found["dataset"], tuple(marks)))
        panels.append(Panel(f"hybrid, {shown}", tuple(rows)))
    words = "; ".join(
        f"{found['dataset']} " + ", ".join(
            f"{title} {three(_value(found, engine, 'hybrid'))}"
            for engine, title in ENGINES.items() if _has(found, engine, "hybrid"))
        for found in runs
    )  # fmt: skip
    description = f"nDCG@10 of the fused answer by collection: {words}."
    title = "What is found: the fused answer, with 95 % intervals"
    return RowsPlot(title, description, tuple(_SERIES.values()), tuple(panels), apart=10)


def _gain(runs: Sequence[Found]) -> RowsPlot:
    panels = []
    for label, shown in MEASURES.items():
        rows = []
        for found in runs:
            gains = [engine for engine in ENGINES if _has_gain(found, engine)]
            marks = [_mark(_SERIES[engine], found["scores"][engine]["hybrid_minus_best"][label]) for engine in gains]
            rows.append(Row(found["dataset"], tuple(marks)))
        panels.append(Panel(f"difference in {shown}", tuple(rows)))
    words = "; ".join(
        f"{found['dataset']} " + ", ".join(
            f"{title} {found['scores'][engine]['hybrid_minus_best']['ndcg_at_10']['value']:+.3f}"
            for engine, title in ENGINES.items() if _has_gain(found, engine))
        for found in runs
    )  # fmt: skip
    description = f"nDCG@10 of hybrid minus that of the better leg by collection: {words}."
    title = "Hybrid minus the better leg, with 95 % intervals"
    return RowsPlot(title, description, tuple(_SERIES.values()), tuple(panels), zero=True, apart=10)


def _mark(series: Series, score: Mapping[str, Any]) -> Mark:
    return Mark(series, score["value"], score.get("low"), score.get("high"))


def _table(runs: Sequence[Found]) -> str:
    columns = [(mode, label) for label in MEASURES for mode in MODES]
    rows = []
    for found in runs:
        for engine, title in ENGINES.items():
            if engine in found["scores"]:
                rows.append([found["dataset"], title, *(_cell(found, engine, *column) for column in columns)])
    return table(["collection", "engine", *(f"{mode} {MEASURES[label]}" for mode, label in columns)], rows)


def _cell(found: Found, engine: str, mode: str, label: str) -> str:
    every = {name: found["scores"][name][mode][label]["value"] for name in ENGINES if _has(found, name, mode)}
    if engine not in every:
        return "-"
    shown = three(every[engine])
    return f"**{shown}**" if len(every) > 1 and shown == three(max(every.values())) else shown


def _collections(runs: Sequence[Found]) -> str:
    rows = [
        [found["dataset"], _ABOUT.get(found["dataset"], ""), f"{found['documents']:,}", f"{found['queries']:,}",
         f"`{_command(found)}`"]
        for found in runs
    ]  # fmt: skip
    return table(["collection", "what it is", "documents", "queries", "figures made by"], rows)


def _command(found: Found) -> str:
    return f"python bench/quality.py {dataset(found['dataset'], found['judgements'])}"


def _gains(runs: Sequence[Found]) -> str:
    rows = [
        [found["dataset"], title, *(_gain_cell(found, engine, label) for label in MEASURES)]
        for found in runs
        for engine, title in ENGINES.items()
        if _has_gain(found, engine)
    ]
    return table(["hybrid minus the better leg", "engine", *MEASURES.values()], rows)


def _gain_cell(found: Found, engine: str, label: str) -> str:
    one = found["scores"][engine]["hybrid_minus_best"][label]
    leg = found["scores"][engine][one["leg"]][label]["value"]
    share = f", {one['value'] / leg:+.1%}" if leg else ""
    return f"{one['value']:+.3f} [{one['low']:+.3f}, {one['high']:+.3f}]{share} ({one['leg']})"


def _published(runs: Sequence[Found]) -> str:
    known = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    rows = [
        [found["dataset"], *_beside_published(found, known[found["dataset"]]), known[found["dataset"]]["caveat"]]
        for found in runs
        if found["dataset"] in known
    ]
    heads = ["collection", "hybridkb nDCG@10", "Lucene, one field / two", "hybridkb recall@100", "Lucene", "caveat"]
    return paragraphs(_PUBLISHED, table(heads, rows)) if rows else ""


def _beside_published(found: Found, published: Mapping[str, Any]) -> list[str]:
    cells = []
    for label, name in (("ndcg_at_10", "nDCG"), ("recall_at_100", "recall")):
        cells += [three(_value(found, OURS, "lexical", label)), " / ".join(map(three, published[name]))]
    return cells


def _has(found: Found, engine: str, mode: str) -> bool:
    return mode in found["scores"].get(engine, {})


def _has_gain(found: Found, engine: str) -> bool:
    return _has(found, engine, "hybrid_minus_best")


def _has_both(found: Found) -> bool:
    return all(_has(found, engine, "hybrid") for engine in ENGINES)


def _better_leg(found: Found) -> float:
    scores = found["scores"][OURS]
    return float(scores[scores["hybrid_minus_best"]["ndcg_at_10"]["leg"]]["ndcg_at_10"]["value"])


def _value(found: Found, engine: str, mode: str, label: str = "ndcg_at_10") -> float:
    return float(found["scores"][engine][mode][label]["value"])
