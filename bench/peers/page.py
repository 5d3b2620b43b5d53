"""Renders the peers' section of ``docs/benchmarks.md`` from a stored run; and a short table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from peers.cells import number, percent, short, table, three
from peers.contests import MODES, OURS, TAGS, Found, best_mode, render_best, value_of

TOP = """## Peers

The same documents, the same vectors, the same queries through hybridkb and what one would use instead, every peer in an
environment of its own with pinned versions, all in one run: `python bench/peers/run.py DATASET`. Adapters are small
and careful (`bench/peers/adapters`): the peer's own filters, its own fusion where it has one, else reciprocal ranks
over the best 100 of each leg; every hit is returned with its text. hybridkb has its default settings. In brackets
stands a peer's figure divided by hybridkb's of the same run: where less is better (times, sizes), above 1 the peer
needs more; for passages a second, above 1 the peer is faster.
"""


def render_peers(found: Found) -> str:
    """One run as Markdown."""
    measured = {name: peer for name, peer in found["peers"].items() if "unavailable" not in peer}
    parts = [
        _provenance(found),
        _quality(found, measured),
        _cost(measured),
        _latency(measured),
        _filters(measured),
        _past(found, measured),
        _hostile(measured),
        render_best(measured),
        _notes(found),
    ]
    return "\n\n".join(part for part in parts if part)


def summary(found: Found) -> str:
    """The main figures, one line a peer."""
    heads = ["peer", "hybrid nDCG@10", "docs/s", "bytes/doc", "hybrid p50 ms", "past changed", "raised"]
    rows = []
    for peer in found["peers"].values():
        if "unavailable" in peer:
            rows.append([peer["title"], peer["unavailable"], *[""] * 5])
            continue
        rows.append(
            [
                peer["title"],
                _score(peer, best_mode(peer), "ndcg_at_10"),
                number(peer["build"].get("documents_per_second")),
                number(peer["build"].get("bytes_per_document")),
                short(_case(peer, best_mode(peer)).get("p50")),
                percent(peer["past"].get("changed", {}).get(best_mode(peer), {}).get("hits")),
                _count(peer["hostile"]),
            ]
        )
    return table(heads, rows)


def _provenance(found: Found) -> str:
    collection, generated, machine, method = (found[key] for key in ("collection", "generated", "machine", "method"))
    command = f"python bench/peers/run.py PATH/{collection['name']}:{collection['judgements']}"
    return (
        f"### {collection['name']} and {generated['passages']:,} generated passages\n\n"
        f"`{command} --generated {_thousands(generated['passages'])}`: {found['date']}, commit {found['revision']}, "
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, load average "
        f"{machine['load_average']} at the start, {found['seconds'] / 60:.0f} minutes for all. "
        f"Times are p50 over {generated['queries']} queries of each query's median of {method['rounds']} rounds in new "
        f"processes, after every query was asked once."
    )


def _quality(found: Found, peers: dict[str, Found]) -> str:
    rows = []
    for name, peer in found["peers"].items():
        if name not in peers:
            rows.append([peer["title"], peer["unavailable"], "", "", ""])
            continue
        quality = peer["quality"]
        if "failed" in quality:
            rows.append([peer["title"], quality["failed"], "", "", ""])
            continue
        cells = [_both_scores(peer, mode) if mode in peer["modes"] else "-" for mode in MODES]
        rows.append([peer["title"], *cells, _difference(quality["scores"].get("hybrid_minus_best", {}))])
    collection = found["collection"]
    heads = [
        f"{collection['name']}, {collection['judgements']}: nDCG@10 / recall@100",
        *MODES,
        "hybrid minus the better leg, nDCG@10",
    ]
    about = (
        f"{collection['documents']:,} documents, {collection['queries']} queries, vectors {collection['vectors']}; "
        "the interval is a paired bootstrap's 95 %."
    )
    return f"{table(heads, rows)}\n\n{about}"


def _cost(peers: dict[str, Found]) -> str:
    ours = peers.get(OURS, {})
    rows = []
    for name, peer in peers.items():
        built, asked = peer["build"], peer["asked"]
        if "failed" in built:
            rows.append([peer["title"], built["failed"], "", "", ""])
            continue
        rows.append(
            [
                peer["title"],
                *(
                    f"{number(built[key])}{_ratio(built[key], ours.get('build', {}).get(key), name)}"
                    for key in ("documents_per_second", "bytes_per_document")
                ),
                number(asked.get("memory_mb")),
                short(asked.get("open_ms")),
            ]
        )
    heads = ["building", "passages/s", "bytes a passage on disk", "memory MB after the queries", "opening ms"]
    return table(heads, rows)


def _latency(peers: dict[str, Found]) -> str:
    cases = ("hybrid", "hybrid, function words", "lexical", "semantic")
    rows = [_timed_row(name, peer, peers, cases) for name, peer in peers.items()]
    return table(["top 10, ms: p50 / p95", *cases], rows)


def _timed_row(name: str, peer: Found, peers: dict[str, Found], cases: Sequence[str]) -> list[str]:
    if "failed" in peer["asked"]:
        return [peer["title"], peer["asked"]["failed"], *[""] * (len(cases) - 1)]
    return [peer["title"], *(_time(name, peer, peers, case) for case in cases)]


def _time(name: str, peer: Found, peers: dict[str, Found], case: str) -> str:
    found = _case(peer, case)
    if not found:
        return "-"
    few = f", {found['queries']} queries" if found["queries"] < 20 else ""
    return f"{short(found['p50'])} / {short(found['p95'])}{_ratio(found['p50'], _p50(peers, case), name)}{few}"


def _filters(peers: dict[str, Found]) -> str:
    rows = []
    for name, peer in peers.items():
        mode = best_mode(peer)
        title = peer["title"] if mode == "hybrid" else f"{peer['title']} ({mode})"
        cells = [f"{_time(name, peer, peers, f'{mode}, {tag}')}{_came(_case(peer, f'{mode}, {tag}'))}" for tag in TAGS]
        rows.append([title, *cells])
    heads = ["filtered, ms: p50 / p95", *(f"{share} of passages" for share in TAGS.values())]
    about = (
        "Where fewer hits came than 10, or than match, it says in how many of the queries; a hit that the filter does "
        "not allow would be named too."
    )
    return f"{table(heads, rows)}\n\n{about}"


def _came(found: Found) -> str:
    """What is wrong with a filtered answer; nothing when all is right."""
    if not found:
        return ""
    short = f"; **short in {found['short']} of {found['queries']}**, fewest {found['fewest']}" if found["short"] else ""
    wrong = f"; **{found['wrong']} hits outside**" if found["wrong"] else ""
    return short + wrong


def _past(found: Found, peers: dict[str, Found]) -> str:
    rows = []
    for peer in peers.values():
        past = peer["past"]
        if "failed" in past:
            rows.append([peer["title"], past["failed"], "", "", "", ""])
            continue
        cells = [_changed(past["changed"].get(mode)) for mode in MODES]
        again = max((max(one.values()) for one in past["asked_again"].values()), default=0.0)
        rows.append([peer["title"], *cells, percent(again), str(sum(past["too_new"].values()))])
    heads = [
        "answers at T that later documents change: hits / order / scores",
        *MODES,
        "asked twice with nothing added",
        "hits after T",
    ]
    about = (
        f"T is the middle of the {found['generated']['past']:,} passages' years, the filter is the date; half of the "
        "passages are added after the first answer."
    )
    return f"{table(heads, rows)}\n\n{about}"


def _changed(shares: dict[str, float] | None) -> str:
    return "-" if shares is None else " / ".join(percent(shares[key]) for key in ("hits", "order", "scores"))


def _hostile(peers: dict[str, Found]) -> str:
    rows = []
    for peer in peers.values():
        texts = peer["hostile"]
        if "failed" in texts:
            rows.append([peer["title"], texts["failed"], "", ""])
            continue
        raised = sum(texts["as_typed_raised"].values())
        judged = texts["with_a_right_answer"]
        rows.append(
            [
                peer["title"],
                _raised(texts),
                f"{raised} of {texts['texts'] - len(texts['died'])}" if texts["as_typed"] else "the same",
                f"{len(texts['not_first'])} of {judged}{_quoted(texts['not_first'])}" if judged else "-",
            ]
        )
    count = max((peer["hostile"].get("texts", 0) for peer in peers.values()), default=0)
    heads = [
        f"{count} hostile texts",
        "raise through the adapter",
        "raise when handed over as typed",
        "right document not first, words alone",
    ]
    about = (
        "The list is our own (`bench/peers/hostile.py`): texts of kinds that broke searches elsewhere, and the "
        "document that a person would expect of some of them."
    )
    return f"{table(heads, rows)}\n\n{about}"


def _raised(texts: Found) -> str:
    named = [f"{one['kind']}: {one['error']}" for one in texts["raised"]]
    named += [f"{one['kind']}: {one['how']}" for one in texts["died"]]
    shown = named if len(named) <= 4 else [*named[:3], f"and {len(named) - 3} more"]
    return f"{len(named)}" + (f" ({'; '.join(shown)})" if named else "")


def _quoted(texts: Sequence[str]) -> str:
    return f" ({', '.join(f'`{text}`' for text in texts)})" if texts else ""


def _notes(found: Found) -> str:
    lines = []
    for peer in found["peers"].values():
        if "unavailable" in peer:
            lines.append(f"- {peer['title']}: {peer['unavailable']}.")
            continue
        packages = ", ".join(f"{name} {one}" for name, one in peer.get("versions", {}).items())
        note = f"; {peer['note']}" if peer.get("note") else ""
        lines.append(f"- {peer['title']}: {packages}{note}.")
    return "\n".join(lines)


def _case(peer: Found, name: str) -> Found:
    found: Found = peer["asked"].get("cases", {}).get(name, {})
    return found


def _p50(peers: dict[str, Found], case: str) -> float | None:
    return _case(peers[OURS], case).get("p50") if OURS in peers else None


def _ratio(value: float, ours: float | None, name: str) -> str:
    return f" ({_times(value / ours)}x)" if ours and name != OURS else ""


def _times(quotient: float) -> str:
    return f"{quotient:,.0f}" if quotient >= 10 else f"{quotient:.1f}" if quotient >= 2 else f"{quotient:.2f}"


def _score(peer: Found, mode: str, label: str) -> str:
    value = value_of("quality", "scores", mode, label, "value")(peer)
    return "" if value is None else three(value)


def _both_scores(peer: Found, mode: str) -> str:
    return f"{_score(peer, mode, 'ndcg_at_10')} / {_score(peer, mode, 'recall_at_100')}"


def _difference(scores: Found) -> str:
    if "ndcg_at_10" not in scores:
        return "-"
    one = scores["ndcg_at_10"]
    return f"{one['value']:+.3f} [{one['low']:+.3f}, {one['high']:+.3f}] ({one['leg']})"


def _count(texts: Found) -> str:
    return texts["failed"] if "failed" in texts else str(len(texts["raised"]) + len(texts["died"]))


def _thousands(size: int) -> str:
    return f"{size // 1000}k" if size % 1000 == 0 else str(size)
