"""The section about what one would use instead: every peer's quality, time and manners from the stored runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from peers.cells import number, percent, short, table, three
from peers.contests import best_mode, value_of

from report.found import stored as stored_quality
from report.parts import OURS, Found, Results, Run, Section, and_list, dataset, missing, paragraphs, picture
from report.rows import Mark, Panel, Row, RowsPlot, Series
from report.scatter import Engine, ScatterPlot

_SERIES = {
    "lexical": Series("words alone", "triangle", "faint", hollow=True),
    "semantic": Series("meaning alone", "diamond", "faint", hollow=True),
    "hybrid": Series("both (95 % interval)", "circle", "other"),
}
_KINDS = {
    OURS: Series(OURS, "circle"),
    "hybrid": Series("has words and meaning", "square", "other", hollow=True),
    "semantic": Series("has meaning alone", "diamond", "other", hollow=True),
    "lexical": Series("has words alone", "triangle", "other", hollow=True),
}
_TOP = """## Beside what one would use instead

The same documents, vectors and queries through every engine, each in an environment of its own with pinned versions and
adapted with care; where an engine has no fusion of its own, reciprocal ranks are used. An engine without a kind of
search has no mark of that kind."""
_COSTS = """"Filtered" is its best search under a filter that leaves a hundredth; "all hits" says in how many of the
queries as many hits came as could. "Past changed" is the share of answers at a day that later documents change.
"Raised" counts hostile texts that end in an error or a crash. More cases: [benchmarks](benchmarks.md)."""
_TAG = "tag-1"


def stored(results: Results) -> list[Found]:
    """The runs of ``bench/peers/run.py``, by name."""
    return [found for name, found in sorted(results.items()) if name.startswith("peers-")]


def by_collection(runs: Sequence[Found]) -> dict[str, Found]:
    """For each collection the run with the most generated passages."""
    chosen: dict[str, Found] = {}
    for found in runs:
        name = found["collection"]["name"]
        if name not in chosen or found["generated"]["passages"] > chosen[name]["generated"]["passages"]:
            chosen[name] = found
    return chosen


def by_size(runs: Sequence[Found]) -> dict[int, Found]:
    """For each number of generated passages the newest run."""
    chosen: dict[int, Found] = {}
    for found in runs:
        size = found["generated"]["passages"]
        if size not in chosen or found["date"] > chosen[size]["date"]:
            chosen[size] = found
    return dict(sorted(chosen.items()))


def measured(found: Found) -> dict[str, Found]:
    """The peers of a run that could be had."""
    return {name: peer for name, peer in found["peers"].items() if "unavailable" not in peer}


def section(results: Results) -> Section:
    """The section; collections no run of peers is stored for are named with their command."""
    runs = stored(results)
    chosen = by_collection(runs)
    absent = missing(*_absent(results, chosen))
    if not runs:
        return Section(paragraphs(_TOP, absent))
    used = [found for found in runs if found in [*chosen.values(), *by_size(runs).values()]]
    quality, time = _quality_plot(chosen), _time_plot(chosen)
    pictures = {"peers-quality.svg": quality, "peers-latency.svg": time}
    drawn = {name: plot for name, plot in pictures.items() if plot is not None}
    text = paragraphs(
        _TOP,
        absent,
        *(picture(name, plot.title) for name, plot in drawn.items()),
        _quality_table(chosen),
        _unavailable(chosen),
        *(_costs(found) for found in by_size(runs).values()),
        _COSTS,
        f"Figures made by {and_list([f'`{_command(found)}`' for found in used])}.",
    )
    made = [Run(f"peers on {found['collection']['name']}", _command(found), found) for found in used]
    return Section(text, {name: plot.draw() for name, plot in drawn.items()}, made)


def in_short(results: Results) -> list[str]:
    """hybridkb's place in the quality of the fused answer."""
    lines = []
    for name, found in by_collection(stored(results)).items():
        every = {key: _ndcg(peer, best_mode(peer)) for key, peer in measured(found).items()}
        scores = {key: score for key, score in every.items() if score is not None}
        if OURS in scores and len(scores) > 1:
            place = 1 + sum(score > scores[OURS] for score in scores.values())
            lines.append(f"{place} of {len(scores)} on {name}")
    return [f"**Beside its peers** its answer has place {and_list(lines)} (nDCG@10)."] if lines else []


def _absent(results: Results, chosen: Mapping[str, Found]) -> tuple[str, list[str]]:
    wanted = {found["dataset"]: found["judgements"] for found in stored_quality(results)}
    if not wanted and not chosen:
        return "peers", ["python bench/peers/run.py DATASET"]
    names = [name for name in wanted if name not in chosen]
    return f"peers on {', '.join(names)}", [
        f"python bench/peers/run.py {dataset(name, wanted[name])}" for name in names
    ]


def _quality_plot(chosen: Mapping[str, Found]) -> RowsPlot | None:
    titles = {name: peer["title"] for found in chosen.values() for name, peer in found["peers"].items()}
    panels = []
    for name, found in chosen.items():
        rows = tuple(_row(titles[key], key, found["peers"].get(key, {"unavailable": "not measured"})) for key in titles)
        panels.append(Panel(f"{name}, nDCG@10", rows))
    if not any(row.marks for panel in panels for row in panel.rows):
        return None
    words = "; ".join(
        f"{panel.title}: " + ", ".join(f"{row.label} {three(row.marks[-1].value)}" for row in panel.rows if row.marks)
        for panel in panels
    )
    description = f"The best answer of every engine by collection. {words}."
    return RowsPlot("Quality beside peers", description, tuple(_SERIES.values()), tuple(panels))


def _row(title: str, name: str, peer: Found) -> Row:
    ours = name == OURS
    if "unavailable" in peer or "failed" in peer["quality"]:
        said = peer.get("unavailable") or peer["quality"]["failed"]
        return Row(title, (), said=said.partition(":")[0], strong=ours)
    marks = []
    for mode, series in _SERIES.items():
        score = peer["quality"]["scores"].get(mode, {}).get("ndcg_at_10")
        if score:
            low, high = (score.get("low"), score.get("high")) if mode == "hybrid" else (None, None)
            marks.append(Mark(series, score["value"], low, high, "ours" if ours else None))
    return Row(title, tuple(marks), strong=ours)


def _time_plot(chosen: Mapping[str, Found]) -> ScatterPlot | None:
    panels = []
    for name, found in chosen.items():
        engines = [_engine(key, peer) for key, peer in measured(found).items()]
        known = tuple(one for one in engines if one is not None)
        if known:
            label = f"ms at the median, {found['generated']['passages']:,} passages"
            panels.append((f"nDCG@10 on {name}", label, known))
    if not panels:
        return None
    words = "; ".join(
        f"{title}: " + ", ".join(f"{one.name} {three(one.quality)} in {short(one.milliseconds)} ms" for one in engines)
        for title, _, engines in panels
    )
    description = f"Quality against the median time of a query, one point an engine; upper left is best. {words}."
    used = {one.series for *_, engines in panels for one in engines}
    series = tuple(one for one in _KINDS.values() if one in used)
    return ScatterPlot("Quality against time (upper left is best)", description, series, tuple(panels))


def _engine(name: str, peer: Found) -> Engine | None:
    mode = best_mode(peer)
    score, time = _ndcg(peer, mode), value_of("asked", "cases", mode, "p50")(peer)
    if score is None or not time:
        return None
    return Engine(peer["title"], time, score, _KINDS[OURS if name == OURS else mode])


def _quality_table(chosen: Mapping[str, Found]) -> str:
    titles = {name: peer["title"] for found in chosen.values() for name, peer in found["peers"].items()}
    rows = []
    for key, title in titles.items():
        cells = [_scores(found["peers"].get(key, {"unavailable": "not measured"})) for found in chosen.values()]
        rows.append([title, *cells])
    return table(["best answer, nDCG@10 / recall@100", *chosen], rows)


def _scores(peer: Found) -> str:
    if "unavailable" in peer:
        return str(peer["unavailable"]).partition(":")[0]
    if "failed" in peer["quality"]:
        return str(peer["quality"]["failed"])
    mode = best_mode(peer)
    recall = value_of("quality", "scores", mode, "recall_at_100", "value")(peer)
    both = [one for one in (_ndcg(peer, mode), recall) if one is not None]
    return " / ".join(map(three, both)) + ("" if mode == "hybrid" else f" ({mode})")


def _unavailable(chosen: Mapping[str, Found]) -> str:
    """Why a peer could not be had, once a peer."""
    every = {peer["title"]: peer["unavailable"] for found in chosen.values() for peer in found["peers"].values()
             if "unavailable" in peer}  # fmt: skip
    return "; ".join(f"{title}: {why}" for title, why in every.items()) + ("." if every else "")


def _costs(found: Found) -> str:
    rows = []
    for peer in measured(found).values():
        mode = best_mode(peer)
        built = [value_of("build", key)(peer) for key in ("documents_per_second", "bytes_per_document")]
        changed = value_of("past", "changed", mode, "hits")(peer)
        rows.append(
            [
                peer["title"] if mode == "hybrid" else f"{peer['title']} ({mode})",
                *(number(one) or "failed" for one in built),
                short(value_of("asked", "cases", mode, "p50")(peer)) or "failed",
                *_filtered(peer, mode),
                percent(changed) or "failed",
                _raised(peer["hostile"]),
            ]
        )
    heads = [f"{found['generated']['passages']:,} generated passages", "passages/s", "bytes a passage", "p50 ms",
             "filtered, ms", "all hits", "past changed", "raised"]  # fmt: skip
    return table(heads, rows)


def _filtered(peer: Found, mode: str) -> list[str]:
    case = peer["asked"].get("cases", {}).get(f"{mode}, {_TAG}")
    if not case:
        return ["-", "-"]
    return [short(case["p50"]), f"{case['queries'] - case['short']} of {case['queries']}"]


def _raised(texts: Found) -> str:
    if "failed" in texts:
        return str(texts["failed"])
    return f"{len(texts['raised']) + len(texts['died'])} of {texts['texts']}"


def _command(found: Found) -> str:
    collection, size = found["collection"], found["generated"]["passages"]
    generated = f"{size // 1000}k" if size % 1000 == 0 else str(size)
    judged = dataset(collection["name"], collection["judgements"])
    return f"python bench/peers/run.py {judged} --generated {generated}"


def _ndcg(peer: Found, mode: str) -> float | None:
    return value_of("quality", "scores", mode, "ndcg_at_10", "value")(peer)
