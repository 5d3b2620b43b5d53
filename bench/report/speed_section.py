"""The section about time and space by size of library, hybridkb beside the textbook recipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from peers.cells import number, short, table, three

from report.lines import Line, LinesPlot, Stop
from report.parts import (
    OURS,
    RECIPE,
    RECIPE_TITLE,
    SIZES,
    Found,
    Results,
    Run,
    Section,
    and_list,
    case_name,
    missing,
    paragraphs,
    picture,
)
from report.rows import Series

EXACT = "hybrid, exact=True"
_SERIES = (
    Series(OURS, "circle"),
    Series("hybridkb, every vector compared", "diamond", "ours", hollow=True),
    Series(RECIPE_TITLE, "square", "other", hollow=True),
)
_PANELS = ("hybrid", "hybrid, function words", "lexical", "semantic")
_CASES = ("hybrid", "hybrid, function words", "lexical", "semantic", "hybrid, tag-1", "hybrid, cutoff 50%", EXACT)
_TOP = """## What it costs, by size

Generated passages, warm queries, one at a time, the ten best hits with their text. Milliseconds at the median; in the
plot a thin line leads up to the 95th percentile. hybridkb's times include snippet and explanation. The recipe compares
every vector; hybridkb does so up to a size, beyond it looks at codes first, unless asked with `exact=True`, which is
the diamond. "Function words" are questions as people type them."""


def stored(results: Results) -> dict[str, Found]:
    """The runs of ``bench/speed.py`` by size, from small to large."""
    return {size: results[f"speed-{size}"] for size in SIZES if f"speed-{size}" in results}


def section(results: Results) -> Section:
    """The section; sizes that are not stored are named with their command."""
    runs = stored(results)
    wanted = [size for size in SIZES if size not in runs]
    absent = missing(f"libraries of {and_list(wanted)} passages", map(_command, wanted))
    if not runs:
        return Section(paragraphs(_TOP, absent))
    plot = _plot(runs)
    made = f"Figures made by {and_list([f'`{_command(size)}`' for size in runs])}."
    text = paragraphs(_TOP, picture("latency-by-size.svg", plot.title), absent, _table(runs), made)
    measured = [Run(f"{found['passages']:,} generated passages", _command(size), found) for size, found in runs.items()]
    return Section(text, {"latency-by-size.svg": plot.draw()}, measured)


def in_short(results: Results) -> list[str]:
    """Time, and its price, at the largest size that is stored."""
    runs = stored(results)
    if not runs:
        return []
    found = list(runs.values())[-1]
    ours, theirs = (found["latency"]["hybrid"][engine]["p50"] for engine in (OURS, RECIPE))
    built = found["ingest"][OURS]["passages_per_second"] / found["ingest"][RECIPE]["passages_per_second"]
    stored_bytes = found["storage"][OURS]["file"] / found["storage"][RECIPE]["file"]
    return [
        f"**Time:** a hybrid question over {found['passages']:,} passages takes {short(ours)} ms at the median, the "
        f"{RECIPE_TITLE} {short(theirs)} ms.",
        f"**Its price:** at that size building runs at {built:.2f} times the recipe's rate, and a passage takes "
        f"{stored_bytes:.2f} times its bytes on disk.",
    ]


def _command(size: str) -> str:
    return f"python bench/speed.py --size {size}"


def _plot(runs: dict[str, Found]) -> LinesPlot:
    panels = []
    for case in _PANELS:
        lines = [_line(runs, _SERIES[0], case, OURS), _line(runs, _SERIES[2], case, RECIPE)]
        if case == "hybrid":
            lines.insert(1, _line(runs, _SERIES[1], EXACT, OURS))
        panels.append((f"{case}, ms", tuple(line for line in lines if line.stops)))
    words = "; ".join(
        f"{found['passages']:,} passages: " + ", ".join(f"{title} {short(time)} ms" for title, time in _hybrid(found))
        for found in runs.values()
    )
    description = f"Median time of a hybrid query by size of library, both axes logarithmic: {words}."
    return LinesPlot("Time of a query by size of library", description, "passages", _SERIES, tuple(panels))


def _line(runs: dict[str, Found], series: Series, case: str, engine: str) -> Line:
    timed = [(found["passages"], found["latency"].get(case, {}).get(engine)) for found in runs.values()]
    return Line(series, tuple(Stop(size, one["p50"], one["p95"]) for size, one in timed if one))


def _hybrid(found: Found) -> list[tuple[str, float]]:
    every = ((OURS, "hybrid", OURS), ("with every vector compared", EXACT, OURS), (RECIPE_TITLE, "hybrid", RECIPE))
    return [
        (title, found["latency"][case][engine]["p50"])
        for title, case, engine in every
        if engine in found["latency"].get(case, {})
    ]


def _table(runs: dict[str, Found]) -> str:
    rows = [
        [f"{case_name(case)}, ms", *(_both(found, partial(_p50, case), short) for found in runs.values())]
        for case in _CASES
    ]
    for label, value, shown in COSTS:
        rows.append([label, *(_both(found, value, shown) for found in runs.values())])
    for depth in (10, 100):
        recall = [three(found["recall"][f"at_{depth}"]) for found in runs.values()]
        rows.append([f"share of the true {depth} nearest vectors found", *(f"{one} / exact" for one in recall)])
    return table([f"hybridkb / {RECIPE_TITLE}", *(f"{found['passages']:,} passages" for found in runs.values())], rows)


def _both(found: Found, value: Callable[[Found, str], float | None], shown: Callable[[float], str]) -> str:
    figures = [value(found, engine) for engine in (OURS, RECIPE)]
    return " / ".join("-" if one is None else shown(one) for one in figures)


def _p50(case: str, found: Found, engine: str) -> float | None:
    one = found["latency"].get(case, {}).get(engine)
    return float(one["p50"]) if one else None


def _ingest(found: Found, engine: str) -> float:
    return float(found["ingest"][engine]["passages_per_second"])


def _bytes(found: Found, engine: str) -> float:
    return float(found["storage"][engine]["file"])


def _memory(found: Found, engine: str) -> float:
    return float(found["new_process"][engine]["memory_mb"]["own"])


def _opening(found: Found, engine: str) -> float:
    return float(found["new_process"][engine]["open_and_first_query_ms"])


COSTS: Sequence[tuple[str, Callable[[Found, str], float | None], Callable[[float], str]]] = (
    ("building, passages/s", _ingest, number),
    ("bytes a passage on disk", _bytes, number),
    ("memory of a process after its queries, MB", _memory, short),
    ("opening and first query, ms", _opening, short),
)
