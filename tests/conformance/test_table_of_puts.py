"""What a put of a known id does: the table in SEMANTICS.md, row by row, seen through get, history and search."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput, NotFound
from hybridkb.ingest import PutReport
from hybridkb.knowledge import KnowledgeItem, Note, SourceRef
from oracles.items import earnings, item_id, note

NOW = "now"


@dataclass(frozen=True)
class Put:
    """A put of the one item, and how the report should name it."""

    word: str
    available_at: str | None
    effect: str
    fields: dict[str, Any] = field(default_factory=dict)

    def item(self) -> KnowledgeItem:
        fields = {"id": item_id("the item"), "as_of": "2020-01-01T00:00:00Z", "source": SourceRef(kind="manual")}
        return Note(body=f"{self.word} shared", available_at=self.available_at, **fields | self.fields)


@dataclass(frozen=True)
class Delete:
    at: str


@dataclass(frozen=True)
class Batch:
    """Several puts at once."""

    puts: tuple[Put, ...]


@dataclass(frozen=True)
class Row:
    """Steps, then the word that is seen at each instant (None: nothing), and how many revisions history has."""

    name: str
    steps: Sequence[Put | Delete | Batch]
    seen: dict[str, str | None]
    revisions: int


JANUARY, MARCH, JUNE = "2024-01-01T00:00:00Z", "2024-03-01T00:00:00Z", "2024-06-01T00:00:00Z"
BEFORE, FEBRUARY, APRIL, JULY = (f"{day}T00:00:00Z" for day in ("2023-12-31", "2024-02-01", "2024-04-01", "2024-07-01"))
ROUND = "2024-03-11T00:00:00Z"

TABLE = (
    Row(
        "same content and times: nothing",
        [Put("alpha", JANUARY, "added"), Put("alpha", JANUARY, "unchanged")],
        {BEFORE: None, JANUARY: "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "what the content hash leaves out is no change",
        [
            Put("alpha", JANUARY, "added", {"created_at": JANUARY}),
            Put(
                "alpha",
                JANUARY,
                "unchanged",
                {"created_at": MARCH, "source": SourceRef(kind="manual", fetched_at=MARCH)},
            ),
        ],
        {JANUARY: "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "later: a new revision, the earlier ends there",
        [Put("alpha", JANUARY, "added"), Put("bravo", MARCH, "revised")],
        {BEFORE: None, JANUARY: "alpha", FEBRUARY: "alpha", MARCH: "bravo", NOW: "bravo"},
        2,
    ),
    Row(
        "later with the same content is a revision too",
        [Put("alpha", JANUARY, "added"), Put("alpha", MARCH, "revised")],
        {BEFORE: None, FEBRUARY: "alpha", NOW: "alpha"},
        2,
    ),
    Row(
        "earlier: inserted before all",
        [Put("bravo", MARCH, "added"), Put("alpha", JANUARY, "inserted")],
        {BEFORE: None, JANUARY: "alpha", FEBRUARY: "alpha", MARCH: "bravo", NOW: "bravo"},
        2,
    ),
    Row(
        "earlier: inserted between",
        [Put("alpha", JANUARY, "added"), Put("charlie", JUNE, "revised"), Put("bravo", MARCH, "inserted")],
        {FEBRUARY: "alpha", MARCH: "bravo", APRIL: "bravo", JUNE: "charlie", NOW: "charlie"},
        3,
    ),
    Row(
        "same instant, other content: a correction",
        [Put("alpha", JANUARY, "added"), Put("bravo", JANUARY, "corrected")],
        {BEFORE: None, JANUARY: "bravo", NOW: "bravo"},
        1,
    ),
    Row(
        "a correction of an earlier revision leaves the later one",
        [Put("alpha", JANUARY, "added"), Put("charlie", MARCH, "revised"), Put("bravo", JANUARY, "corrected")],
        {JANUARY: "bravo", FEBRUARY: "bravo", MARCH: "charlie", NOW: "charlie"},
        2,
    ),
    Row(
        "of corrections the last put wins, also with what was there first",
        [Put("alpha", JANUARY, "added"), Put("bravo", JANUARY, "corrected"), Put("alpha", JANUARY, "corrected")],
        {JANUARY: "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "another as_of is other content",
        [Put("alpha", JANUARY, "added"), Put("alpha", JANUARY, "corrected", {"as_of": "2020-01-02T00:00:00Z"})],
        {JANUARY: "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "unknown availability is only seen now",
        [Put("alpha", None, "added"), Put("alpha", None, "unchanged")],
        {JULY: None, NOW: "alpha"},
        1,
    ),
    Row(
        "unknown is replaced by unknown",
        [Put("alpha", None, "added"), Put("bravo", None, "corrected")],
        {JULY: None, NOW: "bravo"},
        1,
    ),
    Row(
        "unknown becomes known",
        [Put("alpha", None, "added"), Put("alpha", MARCH, "corrected")],
        {FEBRUARY: None, MARCH: "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "known stays known when the same comes without a time",
        [Put("alpha", JANUARY, "added"), Put("alpha", None, "unchanged")],
        {JANUARY: "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "known refuses to become unknown",
        [Put("alpha", JANUARY, "added"), Put("bravo", None, "InvalidInput")],
        {JANUARY: "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "withdrawn: the past still shows it",
        [Put("alpha", JANUARY, "added"), Delete(MARCH)],
        {JANUARY: "alpha", "2024-02-29T23:59:59.999999Z": "alpha", MARCH: None, NOW: None},
        1,
    ),
    Row(
        "after a withdrawal, later: visible again from then on",
        [Put("alpha", JANUARY, "added"), Delete(MARCH), Put("bravo", JUNE, "revised")],
        {FEBRUARY: "alpha", MARCH: None, APRIL: None, JUNE: "bravo", NOW: "bravo"},
        2,
    ),
    Row(
        "at the very instant of a withdrawal: never visible",
        [Put("alpha", JANUARY, "added"), Delete(MARCH), Put("bravo", MARCH, "revised")],
        {FEBRUARY: "alpha", MARCH: None, APRIL: None, NOW: None},
        2,
    ),
    Row(
        "unknown and then known in one batch",
        [Batch((Put("alpha", None, "added"), Put("bravo", MARCH, "corrected")))],
        {FEBRUARY: None, MARCH: "bravo", NOW: "bravo"},
        1,
    ),
    Row(
        "after a withdrawal, the same content later: visible again",
        [Put("alpha", JANUARY, "added"), Delete(MARCH), Put("alpha", JUNE, "revised")],
        {FEBRUARY: "alpha", APRIL: None, JUNE: "alpha", NOW: "alpha"},
        2,
    ),
    Row(
        "after a withdrawal, earlier: the past alone changes",
        [Put("alpha", JANUARY, "added"), Delete(APRIL), Put("bravo", MARCH, "revised")],
        {FEBRUARY: "alpha", MARCH: "bravo", APRIL: None, NOW: None},
        2,
    ),
    Row(
        "after a withdrawal, a correction stays withdrawn",
        [Put("alpha", JANUARY, "added"), Delete(MARCH), Put("bravo", JANUARY, "corrected")],
        {FEBRUARY: "bravo", MARCH: None, NOW: None},
        1,
    ),
    Row(
        "one instant in two zones: a correction",
        [Put("alpha", "2024-03-10T20:00:00-04:00", "added"), Put("bravo", ROUND, "corrected")],
        {"2024-03-10T23:59:59.999999Z": None, "2024-03-11T01:00:00+01:00": "bravo", NOW: "bravo"},
        1,
    ),
    Row(
        "zones are compared as instants, not as text",
        [Put("bravo", "2024-03-10T23:30:00-05:00", "added"), Put("alpha", "2024-03-11T03:00:00+00:00", "inserted")],
        {"2024-03-11T04:00:00Z": "alpha", "2024-03-11T04:30:00Z": "bravo", NOW: "bravo"},
        2,
    ),
    Row(
        "written with milliseconds or without: equal instants",
        [Put("alpha", ROUND, "added"), Put("bravo", "2024-03-11T00:00:00.000Z", "corrected")],
        {ROUND: "bravo", NOW: "bravo"},
        1,
    ),
    Row(
        "a microsecond apart: two revisions",
        [Put("alpha", ROUND, "added"), Put("bravo", "2024-03-11T00:00:00.000001Z", "revised")],
        {ROUND: "alpha", "2024-03-11T00:00:00.000001Z": "bravo", NOW: "bravo"},
        2,
    ),
    Row(
        "finer than a microsecond: availability is rounded up",
        [Put("alpha", "2024-03-11T00:00:00.0000001Z", "added")],
        {ROUND: None, "2024-03-11T00:00:00.0000009Z": None, "2024-03-11T00:00:00.000001Z": "alpha", NOW: "alpha"},
        1,
    ),
    Row(
        "no cutoff means the newest, whatever the clock says",
        [Put("alpha", JANUARY, "added"), Put("bravo", "2999-01-01T00:00:00Z", "revised")],
        {JULY: "alpha", NOW: "bravo"},
        2,
    ),
)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
@pytest.mark.parametrize("reopened", [False, True], ids=["", "reopened"])
def test_put_of_a_known_id(row: Row, reopened: bool, open_library: Any) -> None:
    library = open_library()
    library.put(note("a neighbour", "shared neighbour", available_at=datetime(2019, 1, 1, tzinfo=UTC)))
    for step in row.steps:
        take(library, step)
    if reopened:
        library.close()
        library = open_library()
    for instant, word in row.seen.items():
        assert seen_by_get(library, instant) == word, instant
        assert seen_by_search(library, instant, "lexical") == word, instant
        assert seen_by_search(library, instant, "hybrid") == word, instant
        assert seen_by_search(library, instant, "semantic") == word, instant
    assert len(library.history(item_id("the item"))) >= row.revisions
    assert [library.search("neighbour", mode="lexical")[0].item_id] == [item_id("a neighbour")]


def take(library: HybridLibrary, step: Put | Delete | Batch) -> None:
    if isinstance(step, Batch):
        report = library.put_many([put.item() for put in step.puts])
        assert effects(report) == {put.effect for put in step.puts}
    elif isinstance(step, Delete):
        library.delete(item_id("the item"), at=moment(step.at))
    elif step.effect == "InvalidInput":
        with pytest.raises(InvalidInput):
            library.put(step.item())
    else:
        report = library.put(step.item())
        assert effects(report) == {step.effect}


def effects(report: PutReport) -> set[str]:
    return {name for name in ("added", "revised", "corrected", "inserted", "unchanged") if getattr(report, name)}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def seen_by_get(library: HybridLibrary, instant: str) -> str | None:
    at = None if instant == NOW else moment(instant)
    try:
        item = library.get(item_id("the item"), at=at)
    except NotFound:
        return None
    assert isinstance(item, Note)
    return item.body.split()[0]


def seen_by_search(library: HybridLibrary, instant: str, mode: str) -> str | None:
    filters = {} if instant == NOW else {"available_at_before": instant}
    hits = library.search("alpha bravo charlie shared", mode=mode, top_k=50, **filters)
    found = [hit.matched_text.split()[0] for hit in hits if hit.item_id == item_id("the item")]
    assert len(found) <= 1, "an item is seen in one revision at most"
    return found[0] if found else None


def test_another_type_is_refused_and_changes_nothing(library: HybridLibrary) -> None:
    library.put(note("one", "alpha"))
    with pytest.raises(InvalidInput):
        library.put(earnings("one", "AAPL", "Q3 2024"))
    assert library.get(item_id("one")).item_type == "note"


def test_withdrawn_is_not_found_and_says_when(library: HybridLibrary) -> None:
    library.put(note("one", "alpha"))
    library.delete(item_id("one"), at=moment(MARCH))
    with pytest.raises(NotFound, match="2024-03-01"):
        library.get(item_id("one"))
    assert library.get(item_id("one"), at=moment(FEBRUARY))


def test_withdrawal_without_an_instant_takes_the_librarys_clock(open_library: Any) -> None:
    library = open_library(clock=lambda: moment(MARCH))
    library.put(note("one", "alpha"))
    library.delete(item_id("one"))
    assert library.search("alpha", available_at_before=moment(FEBRUARY))
    assert not library.search("alpha", available_at_before=moment(MARCH), mode="lexical")


def test_withdrawing_what_has_no_known_availability_leaves_nothing(library: HybridLibrary) -> None:
    library.put(note("one", "alpha", available_at=None))
    library.delete(item_id("one"))
    with pytest.raises(NotFound):
        library.get(item_id("one"))
    assert not library.search("alpha", available_at_before=moment(JULY))
    report = library.put(note("one", "bravo", available_at=None))
    assert report.added == 1


def test_a_withdrawal_before_the_newest_revision_never_leaves_it_found(library: HybridLibrary) -> None:
    """Whether it is refused or done: after a delete that succeeded, nothing is found without a cutoff."""
    library.put_many([note("one", "alpha"), note("one", "bravo", available_at=moment(JUNE))])
    with contextlib.suppress(InvalidInput):
        library.delete(item_id("one"), at=moment(MARCH))
        assert not library.search("bravo", mode="lexical")
        with pytest.raises(NotFound):
            library.get(item_id("one"))


def test_withdrawing_twice_is_not_found(library: HybridLibrary) -> None:
    library.put(note("one", "alpha"))
    library.delete(item_id("one"), at=moment(MARCH))
    with pytest.raises(NotFound):
        library.delete(item_id("one"), at=moment(JUNE))


@pytest.mark.parametrize("call", ["get", "delete", "purge", "history"])
def test_an_unknown_id_is_not_found(call: str, library: HybridLibrary) -> None:
    with pytest.raises(NotFound):
        getattr(library, call)(item_id("nobody"))
