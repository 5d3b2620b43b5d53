"""The section that a seller leaves out: everything in the stored results in which hybridkb is not the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import cjk_quality
from peers.cells import short, table, three
from peers.contests import standings

from report import across, bm25s_part, peers_section, speed_section
from report import found as judged
from report.parts import MEASURES, MODES, OURS, RECIPE, RECIPE_TITLE, Found, Results, Section, case_name, paragraphs

_TOP = """## Where something else is better

Found by comparing the stored figures of this page, as printed; nothing is left out because it is small. Where several
sizes or collections are meant, figures stand in their order."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing in which another is better: where, by which figures, and who."""

    what: str
    where: str
    ours: str
    best: str
    who: str

    def with_place(self, other: Loss) -> Loss:
        """The same thing in two places."""
        where, ours, best = f"{self.where}; {other.where}", f"{self.ours}; {other.ours}", f"{self.best}; {other.best}"
        return replace(self, where=where, ours=ours, best=best)


def losses(results: Results) -> list[Loss]:
    """All of them."""
    quality = [*_quality(results), *_legs(results), *_desk(results), *_beside(results)]
    quality += [*_languages(results), *_across(results)]
    return _merged([*quality, *_speed(results), *_peers(results)])


def in_short(results: Results) -> list[str]:
    """How many they are."""
    count = len(losses(results))
    where = "[listed below](#where-something-else-is-better)"
    return [f"**Not the best:** in {count} things something else is better, {where}."] if count else []


def section(results: Results) -> Section:
    """The section; without results it is empty."""
    rows = [[one.what, one.where, one.ours, one.who, one.best] for one in losses(results)]
    if not rows:
        return Section("")
    return Section(paragraphs(_TOP, table(["what", "where", "hybridkb", "better is", "with"], rows)))


def _merged(losses: Iterable[Loss]) -> list[Loss]:
    """One line for what the same engine does better in several places."""
    merged: dict[tuple[str, str], Loss] = {}
    for one in losses:
        before = merged.get((one.what, one.who))
        merged[one.what, one.who] = one if before is None else before.with_place(one)
    return list(merged.values())


def _quality(results: Results) -> Iterator[Loss]:
    for found in judged.stored(results):
        scores = found["scores"]
        for mode in MODES:
            if all(mode in scores.get(engine, {}) for engine in (OURS, RECIPE)):
                for label, shown in MEASURES.items():
                    ours, theirs = (scores[engine][mode][label]["value"] for engine in (OURS, RECIPE))
                    if float(three(theirs)) > float(three(ours)):
                        yield Loss(f"{mode}, {shown}", found["dataset"], three(ours), three(theirs), RECIPE_TITLE)


def _legs(results: Results) -> Iterator[Loss]:
    for found in judged.stored(results):
        scores = found["scores"].get(OURS, {})
        for label, shown in MEASURES.items():
            yield from _own_leg(scores, label, shown, found["dataset"])


def _own_leg(scores: Found, label: str, shown: str, where: str) -> Iterator[Loss]:
    one = scores.get("hybrid_minus_best", {}).get(label)
    if one and one["value"] < 0:
        ours, leg = (three(scores[mode][label]["value"]) for mode in ("hybrid", one["leg"]))
        yield Loss(f"hybrid, {shown}", where, ours, leg, f"its own {one['leg']} leg")


def _desk(results: Results) -> Iterator[Loss]:
    scores = results.get("desk", {}).get("scores", {})
    whole = {mode: scores[mode]["all"]["ndcg_at_10"] for mode in MODES if "all" in scores.get(mode, {})}
    for mode, value in whole.items():
        if mode != "hybrid" and value > whole.get("hybrid", value):
            ours, leg = three(whole["hybrid"]), three(value)
            yield Loss("hybrid, nDCG@10", "the example desk", ours, leg, f"its own {mode} leg")


def _beside(results: Results) -> Iterator[Loss]:
    for found in bm25s_part.stored(results):
        for mode, one in found["modes"].items():
            for label, shown in MEASURES.items():
                ours, theirs = (three(one[engine][label]["value"]) for engine in (OURS, bm25s_part.PEER))
                if float(theirs) > float(ours):
                    yield Loss(f"{mode}, {shown}", found["dataset"], ours, theirs, bm25s_part.PEER)


def _languages(results: Results) -> Iterator[Loss]:
    for language, found in results.get("cjk", {}).get("languages", {}).items():
        for label, shown in MEASURES.items():
            ours, theirs = (three(found["scores"][engine][label]) for engine in (OURS, "segmented"))
            if float(theirs) > float(ours):
                yield Loss(f"lexical, {shown}", cjk_quality.LANGUAGES[language], ours, theirs, "a dictionary's words")


def _across(results: Results) -> Iterator[Loss]:
    others = {across.PEER: across.PEER_TITLE, RECIPE: RECIPE_TITLE}
    for found in results.get("cross-lingual", {}).get("cells", []):
        for mode in MODES:
            for label, shown in across.LABELS.items():
                ours, *theirs = (three(found["scores"][one][mode][label]["value"]) for one in (OURS, *others))
                for who, value in zip(others.values(), theirs, strict=True):
                    if float(value) > float(ours):
                        yield Loss(f"{mode}, {shown}", across.title(found), ours, value, who)
        for label, shown in across.LABELS.items():
            yield from _own_leg(found["scores"][OURS], label, shown, across.title(found))


def _speed(results: Results) -> Iterator[Loss]:
    for found in speed_section.stored(results).values():
        where = f"{found['passages']:,} passages"
        for case, times in found["latency"].items():
            other = times.get(RECIPE)
            if case == speed_section.EXACT:
                other = found["latency"]["hybrid"].get(RECIPE)
            if other and _less(other["p50"], times[OURS]["p50"]):
                what = f"{case_name(case)}, ms"
                yield Loss(what, where, short(times[OURS]["p50"]), short(other["p50"]), RECIPE_TITLE)
        yield from _costs(found, where)


def _costs(found: Found, where: str) -> Iterator[Loss]:
    for label, value, shown in speed_section.COSTS:
        ours, theirs = value(found, OURS), value(found, RECIPE)
        more = "passages/s" in label
        if ours is not None and theirs is not None and (_less(ours, theirs) if more else _less(theirs, ours)):
            yield Loss(label, where, shown(ours), shown(theirs), RECIPE_TITLE)


def _less(one: float, other: float) -> bool:
    """Whether the first is less, also when both are printed."""
    return one < other and short(one) != short(other)


def _peers(results: Results) -> Iterator[Loss]:
    runs = peers_section.stored(results)
    for name, found in peers_section.by_collection(runs).items():
        yield from _standings(found, f"peers, {name}", quality=True)
    for size, found in peers_section.by_size(runs).items():
        yield from _standings(found, f"peers, {size:,} passages", quality=False)


def _standings(found: Found, where: str, *, quality: bool) -> Iterator[Loss]:
    for one in standings(peers_section.measured(found)):
        if one.quality == quality and one.best != one.ours:
            place = f"{one.ours} (place {one.place} of {one.of})"
            yield Loss(case_name(one.label), where, place, one.best, ", ".join(one.winners))
