"""Refuses gold sets with which an evaluation would prove nothing, and says why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hybridkb.errors import InvalidGoldSet
from hybridkb.evaluation.gold_set import GoldRecord, GoldSet, Judgement
from hybridkb.evaluation.targets import ResolvedRecord

MOST_SHOWN = 5
MOST_EASY = 0.5
"""Which share of the queries may be ones that every ranking answers; they are named in the report."""


class Shortcomings(NamedTuple):
    """What is said of a gold set that is fit all the same.

    Attributes:
        absent: answers that cannot be found, within the share allowed.
        easy: which queries any ranking answers, in a sentence each; nothing when there are none.
    """

    absent: tuple[str, ...]
    easy: tuple[str, ...]


def refuse_unfit(gold: GoldSet) -> None:
    """Refuse what is wrong with a gold set by itself: nothing in it, or the same search twice.

    Raises:
        InvalidGoldSet: with every reason.
    """
    reasons = []
    if not gold.records:
        reasons.append("it is empty")
    elif not gold.positive:
        reasons.append("no query has an answer, so nothing can be missed")
    reasons += _duplicates(gold)
    _refuse(gold, reasons)


def refuse_unfailing(
    gold: GoldSet, resolved: Sequence[ResolvedRecord], *, k: int, absent_share: float = 0.0
) -> Shortcomings:
    """Refuse what cannot fail, or cannot succeed, in this library.

    Args:
        gold: the gold set.
        resolved: its records as the library can answer them.
        k: how many hits count.
        absent_share: which share of the answers may be absent from the index; they count as missed.

    Returns:
        Answers that are absent within that share, and queries that any ranking answers when they are not the most.

    Raises:
        InvalidGoldSet: with every reason.
    """
    absent = list(_absent(resolved))
    answers = sum(len(one.record.answers) for one in resolved)
    easy, count = _easy(resolved, k)
    reasons = list(easy) if count > MOST_EASY * sum(bool(one.record.answers) for one in resolved) else []
    reasons += _twice_named(resolved)
    if len(absent) > absent_share * answers:
        reasons.append(
            f"{len(absent):,} of {answers:,} answers cannot be found, which is more than the share allowed "
            f"({absent_share:.0%}): {_listed(absent)}"
        )
    _refuse(gold, reasons)
    return Shortcomings(tuple(absent), easy)


def _refuse(gold: GoldSet, reasons: Sequence[str]) -> None:
    if reasons:
        raise InvalidGoldSet(f"{gold.name}: refused, {'; '.join(reasons)}", reasons=reasons, path=gold.name)


def _duplicates(gold: GoldSet) -> Iterator[str]:
    by_key: dict[str, list[GoldRecord]] = defaultdict(list)
    for record in gold:
        by_key[record.key].append(record)
    twice = [records for records in by_key.values() if len(records) > 1]
    if twice:
        shown = _listed([" and ".join(record.label for record in records) for records in twice])
        yield f"{len(twice):,} searches stand there more than once and would count more than once: {shown}"


def _twice_named(resolved: Sequence[ResolvedRecord]) -> Iterator[str]:
    """Answers that are judged under two names: one hit would count as two."""
    shown = [
        f"{one.record.label}: {earlier.written or earlier.name} and {later.written or later.name}"
        for one in resolved
        for earlier, later in _same_documents(one)
    ]
    if shown:
        yield (
            f"{len(shown):,} answers are judged under two names, so that one hit counts as two: {_listed(shown)}; keep "
            "one of them, and judge a document or its parts"
        )


def _same_documents(one: ResolvedRecord) -> Iterator[tuple[Judgement, Judgement]]:
    """Judgements of a document with those that mean the same, or a part of it."""
    whole: dict[str, Judgement] = {}
    for target in one.targets:
        for owner in sorted(target.owners):
            if owner in whole:
                yield whole[owner], target.judgement
            whole.setdefault(owner, target.judgement)
    for target in one.targets:
        for owner in sorted({locator.partition("#")[0] for locator in target.locators} & whole.keys()):
            yield whole[owner], target.judgement


def _easy(resolved: Sequence[ResolvedRecord], k: int) -> tuple[tuple[str, ...], int]:
    """Queries of which any ranking at all finds the answers, and how many they are."""
    whole = [one for one in resolved if one.record.answers and one.candidates <= k]
    every = [one for one in resolved if one not in whole and 0 < one.candidates <= _right(one)]
    reasons = []
    if whole:
        shown = _listed([f"{one.record.label}: {one.candidates:,}" for one in whole])
        reasons.append(
            f"k = {k} is not smaller than what can be found for {len(whole):,} of {len(resolved):,} queries, so that "
            f"every ranking finds all: {shown}; use a smaller k, or wider filters"
        )
    if every:
        shown = _listed([one.record.label for one in every])
        reasons.append(f"everything that can be found is judged right for {len(every):,} queries: {shown}")
    return tuple(reasons), len(whole) + len(every)


def _right(one: ResolvedRecord) -> int:
    return sum(target.judgement.grade > 0 and target.findable for target in one.targets)


def _absent(resolved: Sequence[ResolvedRecord]) -> Iterator[str]:
    for one in resolved:
        for target in one.targets:
            if target.judgement.grade > 0 and not target.findable:
                why = "filters, cutoff or a withdrawal hide it" if target.held else "the library does not hold it"
                yield f"{one.record.label}: {target.judgement.written} ({why})"


def _listed(entries: Sequence[str]) -> str:
    more = f", and {len(entries) - MOST_SHOWN:,} more" if len(entries) > MOST_SHOWN else ""
    return "; ".join(entries[:MOST_SHOWN]) + more
