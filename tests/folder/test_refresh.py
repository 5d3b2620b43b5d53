"""New, changed, deleted, moved: what a refresh does, what it leaves alone, and what the past keeps."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from folder.desk import START, Desk, later
from hybridkb import RefreshCounts
from hybridkb.errors import InvalidInput
from hybridkb.folder import file_reader
from hybridkb.folder.apply import Worker
from hybridkb.folder.batch import Ready
from hybridkb.folder.document_item import document_id
from hybridkb.knowledge import Document

KNOWN = "---\navailable_at: 2024-03-05T00:00:00Z\n---\n"


def test_a_knowledge_base_touches_no_disk_until_it_is_used(desk: Desk) -> None:
    assert not desk.index.exists()
    assert list(desk.folder.iterdir()) == []


def test_new_files_are_indexed_in_passages(desk: Desk) -> None:
    desk.write("rules/margin.md", "# Margin\n\nInitial margin.\n\n## Calls\n\nBy noon.\n")
    desk.write("gap.txt", "The gap was filled.")
    assert desk.refresh() == RefreshCounts(indexed=2, removed=0, passages=3, unreadable=[])
    assert desk.found("gaps") == ["gap.txt"]
    assert [(h.path, h.heading) for h in desk.knowledge.search("noon", mode="lexical")] == [
        ("rules/margin.md", "Margin > Calls")
    ]


def test_what_is_unchanged_is_not_read(desk: Desk, settled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("a.md", "copper")
    desk.refresh()

    def refuse(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(file_reader, "read_bytes", refuse)
    generation = desk.library.stats().generation
    counts = desk.refresh()
    assert (counts.indexed, counts.removed, counts.unchanged, counts.files) == (0, 0, 1, 1)
    assert desk.library.stats().generation == generation


def test_a_file_changed_within_the_tick_of_a_clock_is_read_again(desk: Desk) -> None:
    path = desk.write("a.md", "copper")
    desk.refresh()
    status = path.stat()
    desk.write("a.md", "silver")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert desk.found("silver") == ["a.md"]
    assert desk.found("copper") == []


def test_a_file_that_was_only_touched_stays_as_it_is(desk: Desk, settled: None) -> None:
    path = desk.write("a.md", "copper")
    desk.refresh()
    revision = desk.library.history(desk.library.list_items().items[0].item_id)
    os.utime(path)
    counts = desk.refresh(days=1)
    assert (counts.indexed, counts.unchanged) == (0, 1)
    assert desk.library.history(desk.library.list_items().items[0].item_id) == revision


def test_an_edit_in_one_section_embeds_that_section_alone(desk: Desk) -> None:
    desk.write("a.md", "# One\n\nfirst words\n\n# Two\n\nsecond words\n")
    desk.refresh()
    before = {hit.heading: hit.locator for hit in desk.knowledge.search("words", mode="lexical")}
    del desk.embedder.document_texts[:]
    desk.write("a.md", "# One\n\nfirst words\n\n# Two\n\nother words\n")
    desk.refresh()
    assert desk.embedder.document_texts == ["Two\n\nother words"]
    after = {hit.heading: hit.locator for hit in desk.knowledge.search("words", mode="lexical")}
    assert after["One"] == before["One"]
    assert after["Two"] != before["Two"]


# Deleted and moved (case H1)


def test_deleted_files_leave_todays_answers_and_stay_in_the_pasts(desk: Desk) -> None:
    desk.write("a.md", KNOWN + "copper alpha")
    desk.write("b.md", KNOWN + "copper beta")
    desk.refresh()
    del desk.embedder.document_texts[:]
    past = desk.answers(0, "alpha", "beta", "copper")
    desk.remove("a.md")
    desk.move("b.md", "c.md")
    counts = desk.refresh(days=1)
    assert (counts.indexed, counts.removed, counts.renamed, counts.passages) == (1, 2, 1, 1)
    assert desk.found("alpha") == []
    assert desk.found("beta") == desk.found("copper") == ["c.md"]
    assert desk.then("alpha", 0) == ["a.md"]
    assert desk.then("beta", 0) == ["b.md"]
    assert desk.then("copper", 1) == ["c.md"]
    assert desk.answers(0, "alpha", "beta", "copper") == past
    assert desk.embedder.document_texts == []


def test_unknown_availability_stays_unknown_through_a_move(desk: Desk) -> None:
    desk.write("a.md", "copper")
    desk.refresh()
    desk.move("a.md", "b/a.md")
    counts = desk.refresh(days=1)
    assert (counts.renamed, desk.found("copper"), desk.then("copper", 9)) == (1, ["b/a.md"], [])
    assert desk.library.stats().items == 1


def test_a_moved_file_is_at_no_instant_under_two_names_or_none(desk: Desk) -> None:
    desk.write("a.md", KNOWN + "copper")
    desk.refresh()
    desk.move("a.md", "b.md")
    desk.refresh(days=1)
    moved = later(1)
    for instant, path in ((moved.replace(microsecond=0), "b.md"), (START, "a.md")):
        hits = desk.library.search("copper", available_at_before=instant)
        assert [hit.path for hit in hits] == [path]
    assert desk.then("copper", 1 - 1e-9) == ["a.md"]


def test_a_file_moved_in_two_steps_is_a_move_too(desk: Desk) -> None:
    text = KNOWN + "copper"
    desk.write("a.md", text)
    desk.refresh()
    desk.remove("a.md")
    desk.refresh(days=1)
    desk.write("b.md", text)
    desk.refresh(days=1)
    assert [desk.then("copper", day) for day in (0, 1, 2)] == [["a.md"], [], ["b.md"]]


def test_two_files_that_exchange_their_names_change_no_past(desk: Desk) -> None:
    desk.write("a.md", "---\navailable_at: 2024-01-01T00:00:00Z\n---\ncopper")
    desk.write("b.md", "---\navailable_at: 2024-02-01T00:00:00Z\n---\nwheat")
    desk.refresh()
    past = desk.answers(0, "copper", "wheat")
    desk.move("a.md", "c")
    desk.move("b.md", "a.md")
    desk.move("c", "b.md")
    counts = desk.refresh(days=1)
    assert counts.indexed == 2
    assert (desk.found("copper"), desk.found("wheat")) == (["b.md"], ["a.md"])
    assert (desk.then("copper", 1), desk.then("wheat", 1)) == (["b.md"], ["a.md"])
    assert desk.answers(0, "copper", "wheat") == past


def test_a_file_moved_there_and_back_is_found_under_its_first_name(desk: Desk) -> None:
    desk.write("a.md", KNOWN + "copper")
    desk.refresh()
    for day, (old, new) in enumerate((("a.md", "b.md"), ("b.md", "a.md"), ("a.md", "b.md")), start=1):
        desk.move(old, new)
        assert desk.refresh(days=1).renamed == 1
        assert (desk.found("copper"), desk.then("copper", day)) == ([new], [new])
    assert [desk.then("copper", day) for day in range(4)] == [["a.md"], ["b.md"], ["a.md"], ["b.md"]]


def test_of_two_copies_of_a_deleted_file_one_is_its_new_name(desk: Desk) -> None:
    text = "copper"
    desk.write("a.md", text)
    desk.refresh()
    desk.remove("a.md")
    desk.write("b.md", text)
    desk.write("c.md", text)
    counts = desk.refresh()
    assert (counts.indexed, counts.removed, counts.renamed) == (2, 1, 1)
    assert sorted(desk.found("copper")) == ["b.md", "c.md"]


# Every way in which new text meets a stored availability: searches see it, no past changes

EDITS = {
    "the same": "---\navailable_at: 2024-03-05T00:00:00Z\n---\n",
    "earlier": "---\navailable_at: 2024-02-01T00:00:00Z\n---\n",
    "unknown": "",
    "unusable": "---\navailable_at: soon\n---\n",
}


@pytest.mark.parametrize("front_matter", EDITS.values(), ids=EDITS)
def test_an_edit_is_seen_now_and_from_now_on(desk: Desk, front_matter: str) -> None:
    desk.write("a.md", KNOWN + "copper old")
    desk.refresh()
    past, snapshot = desk.answers(0.5, "copper", "old", "new"), desk.library.snapshot(at=later(0.5))
    desk.write("a.md", front_matter + "copper new")
    desk.refresh(days=1)
    assert (desk.found("new"), desk.found("old")) == (["a.md"], [])
    assert (desk.then("old", 0.5), desk.then("new", 0.5)) == (["a.md"], [])
    assert (desk.then("old", 1), desk.then("new", 1)) == ([], ["a.md"])
    assert desk.answers(0.5, "copper", "old", "new") == past
    assert not snapshot.changed


def test_a_later_date_is_believed(desk: Desk) -> None:
    desk.write("a.md", KNOWN + "copper old")
    desk.refresh()
    desk.write("a.md", "---\navailable_at: 2024-06-01T00:00:00Z\n---\ncopper new")
    desk.refresh(days=1)
    document = desk.library.get(desk.library.list_items().items[0].item_id)
    assert document.available_at is not None
    assert f"{document.available_at:%Y-%m-%d}" == "2024-06-01"
    assert len(desk.library.history(document.id)) == 2
    assert desk.found("new") == ["a.md"]


def test_a_date_in_the_future_is_seen_now_and_outlived_by_the_next_edit(desk: Desk) -> None:
    desk.write("a.md", "---\navailable_at: 2030-01-01T00:00:00Z\n---\ncopper one")
    desk.refresh()
    assert desk.found("one") == ["a.md"]
    desk.write("a.md", "copper two")
    desk.refresh(days=1)
    assert (desk.found("one"), desk.found("two"), desk.then("two", 30)) == ([], ["a.md"], [])
    desk.remove("a.md")
    desk.refresh(days=1)
    assert desk.found("copper") == []


@pytest.mark.parametrize("time", ["9999-12-31", "9999-12-31T23:59:59.999999Z"])
@pytest.mark.parametrize("field", ["available_at", "published_at", "as_of"])
def test_the_end_of_all_calendars_is_no_date(desk: Desk, field: str, time: str) -> None:
    for days, text in enumerate(("copper", "wheat", "gap")):
        desk.write("a.md", f"---\n{field}: {time}\n---\n{text}")
        assert "the year 9999 stands for a date that nobody knows" in desk.refresh(days).notes[0].reason
        assert desk.found(text) == ["a.md"]
    assert desk.library.list_items().items[0].available_at is None


def test_a_document_of_the_last_instant_there_is_stops_no_refresh(desk: Desk) -> None:
    """Somebody put it so by hand: nothing comes after that instant, so its file is told, and the others are read."""
    desk.write("a.md", "copper")
    desk.write("b.md", "copper")
    desk.refresh()
    last = datetime.max.replace(tzinfo=UTC)
    document = desk.library.get(document_id("documents", "a.md"))
    desk.library.put(document.model_copy(update={"available_at": last}))
    for days, text in enumerate(("wheat", "gap")):
        desk.write("a.md", text)
        desk.write("b.md", text)
        assert desk.refresh(days).unreadable == []
        assert desk.found(text) == ["a.md", "b.md"]
    desk.remove("a.md")
    desk.write("b.md", "silver")
    assert desk.refresh(1).removed == 1
    desk.write("a.md", "silver")
    assert "purge the item" in desk.refresh(1).unreadable[0].reason
    assert desk.found("silver") == ["b.md"]
    desk.library.purge(document.id)
    assert sorted(desk.found("silver")) == ["a.md", "b.md"]


def test_a_file_that_cannot_be_dated_is_told_and_the_others_are_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.md", f"{KNOWN}copper")
    desk.write("moving.md", f"{KNOWN}silver")
    desk.refresh()
    date = Worker._date

    def failing(worker: Worker, ready: Ready, *rest: Any) -> Document:
        if ready.row.path in ("a.md", "moved.md"):
            raise InvalidInput("no such time")
        return date(worker, ready, *rest)

    monkeypatch.setattr(Worker, "_date", failing)
    desk.write("a.md", "wheat")
    desk.write("b.md", "wheat")
    desk.move("moving.md", "moved.md")
    counts = desk.refresh(1)
    assert counts.unreadable == [("a.md", "no such time"), ("moved.md", "no such time")]
    assert (counts.indexed, counts.removed) == (1, 1)
    assert (desk.found("wheat"), desk.found("copper"), desk.found("silver")) == (["b.md"], ["a.md"], [])
    monkeypatch.undo()
    assert desk.refresh(1).indexed == 2


def test_what_was_unknown_becomes_known_as_it_says(desk: Desk) -> None:
    desk.write("a.md", "copper")
    desk.refresh()
    assert desk.then("copper", 0) == []
    desk.write("a.md", KNOWN + "copper")
    desk.refresh(days=1)
    assert desk.then("copper", 0) == ["a.md"]


@pytest.mark.parametrize("text", ["copper", "copper again"], ids=["the same text", "another text"])
def test_a_file_that_returns_is_available_again_from_now_on(desk: Desk, text: str) -> None:
    desk.write("a.md", KNOWN + "copper")
    desk.refresh()
    desk.remove("a.md")
    desk.refresh(days=1)
    desk.write("a.md", KNOWN + text)
    desk.refresh(days=1)
    assert desk.found("copper") == ["a.md"]
    assert [desk.then("copper", day) for day in (0, 1, 2)] == [["a.md"], [], ["a.md"]]


def test_a_file_time_that_goes_back_changes_no_past(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(availability="file-time")
    desk.write("a.md", "copper old", modified=later(-10))
    desk.refresh()
    assert desk.then("old", -10) == ["a.md"]
    assert desk.then("old", -10.001) == []
    desk.write("a.md", "copper new", modified=later(-20))
    desk.refresh(days=1)
    assert (desk.found("new"), desk.then("old", 0), desk.then("new", 0), desk.then("new", 1)) == (
        ["a.md"], ["a.md"], [], ["a.md"]
    )  # fmt: skip


def test_a_file_time_that_goes_on_is_believed(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(availability="file-time")
    desk.write("a.md", "copper old", modified=later(-10))
    desk.refresh()
    desk.write("a.md", "copper new", modified=later(-5))
    desk.refresh()
    assert [desk.then(word, day) for word, day in (
        ("old", -6), ("new", -6), ("old", -5), ("new", -5)
    )] == [["a.md"], [], [], ["a.md"]]  # fmt: skip


def test_a_file_without_a_time_is_of_unknown_availability(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(availability="file-time")
    path = desk.write("a.md", "copper")
    os.utime(path, ns=(0, 0))
    desk.refresh()
    assert desk.found("copper") == ["a.md"]
    assert desk.library.stats().unknown_availability == 1


# What a document says of itself


def test_front_matter_sets_the_filters(desk: Desk) -> None:
    desk.write(
        "theses/copper.md",
        "---\ntitle: Copper call\ntype: thesis\ntags: [metals, supply]\nconfidence: high\ntickers: [FCX]\n"
        "source: https://example.org/copper\nas_of: 2024-02-29\navailable_at: 2024-03-05\n---\nDeficit widens.\n",
    )
    desk.write("other.md", "Deficit narrows.")
    desk.refresh()
    for filters in (
        {"item_types": "thesis"}, {"tags": ["metals", "supply"]}, {"confidence": "high"}, {"tickers": "fcx"},
        {"source_kinds": "http"}, {"path_prefix": "theses"}, {"available_at_before": "2024-03-05T23:59:59.999999Z"},
    ):  # fmt: skip
        assert desk.found("deficit", **filters) == ["theses/copper.md"], filters
    assert desk.found("deficit", item_types="document") == ["other.md"]
    assert desk.found("deficit", available_at_before="2024-03-05T23:59:59Z") == []
    (hit,) = desk.knowledge.search("copper call", mode="lexical", limit=1)
    assert (hit.heading, hit.path) == ("Copper call", "theses/copper.md")
    document = desk.library.get(hit.locator.owner_id)  # type: ignore[union-attr]
    assert isinstance(document, Document)
    assert (document.title, document.kind, document.source.uri) == (
        "Copper call", "thesis", "https://example.org/copper"
    )  # fmt: skip


def test_the_name_of_a_file_finds_it(desk: Desk) -> None:
    desk.write("margin-rules.md", "# Deposits\n\nTwelve percent.\n")
    desk.write("other.md", "margin rules margin rules")
    desk.refresh()
    assert desk.knowledge.search("margin-rules.md", limit=1)[0].path == "margin-rules.md"


def test_as_of_is_what_the_file_says_else_its_names_date_else_its_time(desk: Desk) -> None:
    stamp = later(-100)
    desk.write("said-2024-01-01.md", "---\nas_of: 2023-06-30\n---\ncopper", modified=stamp)
    desk.write("named-2024-01-31.md", "copper", modified=stamp)
    desk.write("timed.md", "copper", modified=stamp)
    desk.write("bounded.md", KNOWN + "copper", modified=later(-1))
    desk.refresh()
    as_of = {item.path: f"{item.as_of:%Y-%m-%dT%H:%M:%S}" for item in desk.library.list_items().items}
    assert as_of == {
        "said-2024-01-01.md": "2023-06-30T23:59:59",
        "named-2024-01-31.md": "2024-01-31T23:59:59",
        "timed.md": f"{stamp:%Y-%m-%dT%H:%M:%S}",
        "bounded.md": "2024-03-05T00:00:00",
    }


def test_the_day_in_a_name_is_its_availability_when_asked_for(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(availability="name-date")
    desk.write("2024-03-04-gap.md", "copper day")
    desk.write("2024-03.md", "copper month")
    desk.refresh()
    assert desk.found("day", available_at_before="2024-03-04T23:59:59.999999Z") == ["2024-03-04-gap.md"]
    assert desk.found("day", available_at_before="2024-03-04T23:59:59Z") == []
    assert desk.library.stats().unknown_availability == 1
