"""Kinds of time that break systems: what is visible at each instant, and that it is what a library would answer
that never held anything later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import NotFound
from hybridkb.knowledge import KnowledgeItem
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder

QUESTIONS = ("copper", "copper supply gap", '"copper supply"', "zinc mines", "tin")


@dataclass(frozen=True)
class Withdrawal:
    name: str | int
    at: datetime


@dataclass(frozen=True)
class Kind:
    """Steps in the order in which they happen, and what a search for copper finds at each instant, as texts."""

    name: str
    steps: Sequence[KnowledgeItem | Withdrawal]
    seen: dict[Any, set[str]]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def second(fraction: str) -> datetime:
    return at(f"2024-03-11T10:00:00{fraction}+00:00")


MICROSECOND = timedelta(microseconds=1)

KINDS = (
    Kind(
        "several revisions on one day",
        [
            note(1, "copper at nine", available_at=at("2024-03-11T09:00:00+00:00")),
            note(1, "copper at noon", available_at=at("2024-03-11T12:00:00+00:00")),
            note(1, "copper at five", available_at=at("2024-03-11T17:00:00+00:00")),
            note(1, "copper at ten", available_at=at("2024-03-11T10:00:00+00:00")),
        ],
        {
            "2024-03-11T00:00:00+00:00": set(),
            "2024-03-11T09:59:59.999999+00:00": {"copper at nine"},
            "2024-03-11T10:00:00+00:00": {"copper at ten"},
            "2024-03-11T12:00:00+00:00": {"copper at noon"},
            "2024-03-12T00:00:00+00:00": {"copper at five"},
        },
    ),
    Kind(
        "two time zones",
        [
            note(1, "copper in tokyo", available_at=at("2024-03-11T09:00:00+09:00")),
            note(2, "copper in new york", available_at=at("2024-03-10T19:30:00-05:00")),
            note(3, "copper in london", available_at=at("2024-03-11T00:15:00+00:00")),
        ],
        {
            "2024-03-11T08:59:59+09:00": set(),
            "2024-03-11T00:00:00+00:00": {"copper in tokyo"},
            "2024-03-10T20:20:00-04:00": {"copper in tokyo", "copper in london"},
            "2024-03-11T00:30:00+00:00": {"copper in tokyo", "copper in london", "copper in new york"},
        },
    ),
    Kind(
        "the order within a second",
        [
            note(1, "copper second", available_at=second(".000002")),
            note(1, "copper first", available_at=second(".000001")),
            note(2, "copper half", available_at=second(".5")),
        ],
        {
            "2024-03-11T10:00:00+00:00": set(),
            "2024-03-11T10:00:00.000001+00:00": {"copper first"},
            "2024-03-11T10:00:00.499999+00:00": {"copper second"},
            "2024-03-11T10:00:00.500000+00:00": {"copper second", "copper half"},
        },
    ),
    Kind(
        "equal instants, written in different ways",
        [
            note(1, "copper first words", available_at=second("")),
            note(2, "copper zone", available_at=at("2024-03-11T06:00:00.000000-04:00")),
            note(1, "copper corrected", available_at=at("2024-03-11T15:30:00.000+05:30")),
        ],
        {
            "2024-03-11T09:59:59.999999+00:00": set(),
            "2024-03-11T10:00:00.000+00:00": {"copper corrected", "copper zone"},
        },
    ),
    Kind(
        "gaps of years",
        [
            note(1, "copper in the last century", available_at=at("1931-06-01T00:00:00+00:00")),
            note(1, "copper before the epoch", available_at=at("1969-12-31T23:59:59.999999+00:00")),
            note(1, "copper long after", available_at=at("2199-01-01T00:00:00+00:00")),
        ],
        {
            "1931-05-31T00:00:00+00:00": set(),
            "1950-01-01T00:00:00+00:00": {"copper in the last century"},
            "1970-01-01T00:00:00+00:00": {"copper before the epoch"},
            "2198-12-31T00:00:00+00:00": {"copper before the epoch"},
            "9000-01-01T00:00:00+00:00": {"copper long after"},
        },
    ),
    Kind(
        "a withdrawn item put again",
        [
            note(1, "copper supply", available_at=day(0)),
            Withdrawal(1, day(5)),
            note(1, "copper supply", available_at=day(8)),
            Withdrawal(1, day(12)),
            note(1, "copper supply, third life", available_at=day(20)),
        ],
        {
            day(4): {"copper supply"},
            day(5): set(),
            day(8) - MICROSECOND: set(),
            day(8): {"copper supply"},
            day(12): set(),
            day(20): {"copper supply, third life"},
        },
    ),
    Kind(
        "withdrawn and revised in the same instant",
        [
            note(1, "copper supply", available_at=day(0)),
            Withdrawal(1, day(5)),
            note(1, "copper once more", available_at=day(5)),
        ],
        {day(4): {"copper supply"}, day(5): set(), day(50): set()},
    ),
)


def everything(library: HybridLibrary, moment: datetime) -> Any:
    """All that can be asked at one instant, but for what names the file it came from."""
    snapshot = library.snapshot(at=moment)
    return (
        [
            [
                replace(hit, revision=0, recorded_at=moment)
                for hit in snapshot.search(question, mode=mode, top_k=50)
            ]
            for question in QUESTIONS
            for mode in ("lexical", "semantic", "hybrid")
        ],
        replace(snapshot.stats(), revisions=0),
        snapshot.fingerprint,
    )  # fmt: skip


def carry_out(library: HybridLibrary, steps: Sequence[KnowledgeItem | Withdrawal]) -> None:
    for step in steps:
        if isinstance(step, Withdrawal):
            library.delete(item_id(step.name), at=step.at)
        else:
            library.put(step)


def by(moment: datetime, steps: Sequence[KnowledgeItem | Withdrawal]) -> list[KnowledgeItem | Withdrawal]:
    """The steps that someone at this instant could have made."""

    def when(step: KnowledgeItem | Withdrawal) -> datetime:
        known = step.at if isinstance(step, Withdrawal) else step.available_at
        assert known is not None
        return known

    return [step for step in steps if when(step) <= moment]


def moments(kind: Kind) -> list[datetime]:
    return [moment if isinstance(moment, datetime) else at(moment) for moment in kind.seen]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_visible_at_each_instant(open_library: Any, kind: Kind) -> None:
    library = open_library()
    carry_out(library, kind.steps)
    for moment, texts in zip(moments(kind), kind.seen.values(), strict=True):
        for mode in ("lexical", "semantic"):
            found = library.snapshot(at=moment).search("copper", mode=mode, top_k=50)
            assert {hit.matched_text for hit in found} == texts, moment


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_instant_is_that_of_a_library_without_a_future(open_library: Any, kind: Kind) -> None:
    full = open_library("full.db")
    carry_out(full, kind.steps)
    for number, moment in enumerate(moments(kind)):
        fresh = open_library(f"fresh{number}.db")
        carry_out(fresh, by(moment, kind.steps))
        expected, found = everything(fresh, moment), everything(full, moment)
        if fresh.stats().records:  # an empty library has no space yet
            assert found == expected, moment
        else:
            assert found[0] == expected[0]


def test_a_revision_that_only_changes_tags(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put(note(1, "copper supply", available_at=day(0), tags=("draft",)))
    library.put(note(2, "copper", available_at=day(0)))
    embedded = len(embedder.document_texts)
    before = everything(library, day(3))
    report = library.put(note(1, "copper supply", available_at=day(5), tags=("final", "checked")))
    assert (report.revised, report.embedded, len(embedder.document_texts)) == (1, 0, embedded)
    assert everything(library, day(3)) == before

    def found(moment: datetime, **filters: Any) -> int:
        return len(library.snapshot(at=moment).search("supply", mode="lexical", **filters))

    assert [found(day(4), tags="draft"), found(day(4), tags="final")] == [1, 0]
    assert [found(day(5), tags="draft"), found(day(5), tags="final"), found(day(5), exclude_tags="draft")] == [0, 1, 1]
    scores = {library.search("supply", mode="lexical", available_at_before=day(n))[0].score for n in (4, 5)}
    assert len(scores) == 1


def test_a_tree_that_gains_and_loses_nodes(open_library: Any) -> None:
    states = {
        0: {"a": "copper supply", "b": "zinc mines"},
        3: {"a": "copper supply", "b": "zinc mines", "c": "tin"},
        6: {"b": "zinc mines revised", "c": "tin"},
        9: {"a": "copper supply", "c": "tin"},
    }
    steps = [filing("tree", nodes, available_at=day(number)) for number, nodes in states.items()]
    library = open_library()
    carry_out(library, steps)
    for number, nodes in states.items():
        moment = day(number + 1)
        snapshot = library.snapshot(at=moment)
        for node_id in "abc":
            locator = f"item:{item_id('tree')}#{node_id}"
            if node_id in nodes:
                assert snapshot.resolve(locator).content == nodes[node_id]  # type: ignore[union-attr]
            else:
                with pytest.raises(NotFound):
                    snapshot.resolve(locator)
        seen = {hit.node_id: hit.matched_text for hit in snapshot.search("copper zinc tin", mode="semantic", top_k=50)}
        assert {node_id for node_id in seen if node_id in set("abc")} == set(nodes)
        assert number != 6 or "revised" in seen["b"]
        fresh = open_library(f"fresh{number}.db")
        carry_out(fresh, by(moment, steps))
        assert everything(library, moment) == everything(fresh, moment)


def test_a_revision_that_changes_one_node_costs_one_embedding(library: HybridLibrary, embedder: HashEmbedder) -> None:
    sections = {f"s{number}": f"copper section {number}" for number in range(20)}
    library.put(filing("tree", sections, available_at=day(0)))
    first = len(embedder.document_texts)
    report = library.put(filing("tree", sections | {"s7": "copper section restated"}, available_at=day(10)))
    assert (report.embedded, report.reused) == (1, 20)
    assert embedder.document_texts[first:] == ["copper section restated"]
    library.delete(item_id("tree"), at=day(20))
    assert library.put(filing("tree", sections, available_at=day(30))).embedded == 0
    assert library.put(filing("copy", sections, available_at=day(30))).embedded == 0
    (space,) = library.stats().spaces
    assert (space.vectors, space.pending) == (first + 1, 0)


def test_c1_an_old_date_learnt_late(open_library: Any) -> None:
    library = open_library(clock=lambda: at("2024-03-02T00:00:00+00:00"))
    facts = {"as_of": at("2024-01-15T00:00:00+00:00")}
    learnt = at("2024-03-01T00:00:00+00:00")
    library.put(note("known", "copper", available_at=learnt, **facts))
    library.put(note("unknown", "copper", available_at=None, **facts))
    assert not library.snapshot(at=at("2024-02-01T00:00:00+00:00")).search("copper")
    assert [str(hit.item_id) for hit in library.snapshot(at=learnt).search("copper")] == [str(item_id("known"))]
    far = library.snapshot(at=at("2999-01-01T00:00:00+00:00"))
    assert [str(hit.item_id) for hit in far.search("copper")] == [str(item_id("known"))]
    finding = library.audit().finding("unknown_availability")
    assert finding is not None
    assert finding.count == 1
    assert library.stats().unknown_availability == 1


def test_c4_a_restated_filing_carries_the_old_period(library: HybridLibrary) -> None:
    facts = {"as_of": at("2022-12-31T00:00:00+00:00"), "period": "2022"}
    first, restated = at("2023-02-20T00:00:00+00:00"), at("2024-06-05T00:00:00+00:00")
    library.put(filing("10-K", ["Revenue was 900."], "Annual report 2022", available_at=first, **facts))
    library.put(filing("10-K/A", ["Revenue was 850."], "Annual report 2022, restated", available_at=restated, **facts))

    def cards(moment: datetime) -> set[tuple[str, datetime, datetime | None]]:
        hits = library.snapshot(at=moment).search("revenue", periods="2022", collapse="document")
        return {(hit.matched_text, hit.as_of, hit.available_at) for hit in hits}

    assert cards(at("2023-12-31T00:00:00+00:00")) == {("Revenue was 900.", facts["as_of"], first)}
    assert {card[1:] for card in cards(restated)} == {(facts["as_of"], first), (facts["as_of"], restated)}


def test_c5_offsets_are_no_text(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=at("2024-03-10T23:30:00-05:00")))
    library.put(note(2, "copper", available_at=at("2024-03-11T03:00:00+00:00")))
    for cutoff in ("2024-03-11T04:00:00Z", "2024-03-11T04:00:00.000Z"):
        snapshot = library.snapshot(at=cutoff)  # type: ignore[arg-type]
        assert [str(hit.item_id) for hit in snapshot.search("copper")] == [str(item_id(2))]
    assert library.put(note(2, "copper", available_at="2024-03-11T03:00:00.000Z")).unchanged == 1  # type: ignore[arg-type]
