"""Each kind of finding, when there is something to find and when there is not."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.audit import AuditReport, Finding, ModelUse
from hybridkb.audit.models import RELEASED, released
from hybridkb.audit.report import KINDS
from hybridkb.embedders.local import LOCAL_SPACE
from hybridkb.errors import BrokenInvariant, InvalidInput
from hybridkb.knowledge import ExtractionRef, SourceRef
from hybridkb.store.settings import change_settings
from oracles.items import day, filing, item_id, news, note
from support.fake_embedder import HashEmbedder
from support.raw_rows import said

NOW = day(100)


class Clock:
    """The library's clock, which stands still until it is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def library(open_library: Any, clock: Clock) -> HybridLibrary:
    opened: HybridLibrary = open_library(clock=clock)
    return opened


def found(report: AuditReport, kind: str) -> Finding:
    finding = report.finding(kind)
    assert finding is not None, report.findings
    return finding


def kinds(report: AuditReport) -> set[str]:
    return {finding.kind for finding in report.findings}


def subjects(finding: Finding) -> set[str | None]:
    return {example.subject for example in finding.examples}


def test_a_library_without_faults_has_no_findings(library: HybridLibrary) -> None:
    assert library.audit().findings == ()
    library.put(note(1, "copper", available_at=NOW - timedelta(hours=23), source=SourceRef(kind="http")))
    assert library.audit().findings == ()
    library.put(note(2, "copper", available_at=NOW))
    library.delete(item_id(2))
    report = library.audit(since=NOW + timedelta(microseconds=1))
    assert report.findings == ()
    assert report.ok
    assert (report.items, report.revisions, report.since) == (2, 2, NOW + timedelta(microseconds=1))


def test_unknown_availability(library: HybridLibrary) -> None:
    library.put_many([
        note(1, "copper", available_at=None),
        note(2, "copper", available_at=None, source=SourceRef(kind="http")),
        news(3, "copper", available_at=None, source=SourceRef(kind="rss")),
        note(4, "copper", available_at=NOW),
    ])
    finding = found(library.audit(), "unknown_availability")
    assert (finding.severity, finding.count) == ("note", 3)
    assert finding.groups == {"item_type": {"news": 1, "note": 2}, "source_kind": {"http": 1, "manual": 1, "rss": 1}}
    assert subjects(finding) == {str(item_id(number)) for number in (1, 2, 3)}
    assert finding.examples[0].times["available_at"] is None
    library.put(note(1, "copper", available_at=NOW))
    assert found(library.audit(), "unknown_availability").count == 2


def test_available_before_publication(library: HybridLibrary) -> None:
    def published(moment: Any) -> SourceRef:
        return SourceRef(kind="http", published_at=moment)

    library.put_many([
        note("early", "copper", available_at=NOW, source=published(NOW + timedelta(microseconds=1))),
        note("on time", "copper", available_at=NOW, source=published(NOW)),
        note("zone", "copper", available_at=NOW, source=published("2024-04-10T01:00:00+01:00")),
        note("unknown", "copper", available_at=None, source=published(NOW)),
    ])
    assert datetime(2024, 4, 10, tzinfo=UTC) == NOW
    finding = found(library.audit(), "available_before_publication")
    assert (finding.severity, finding.count) == ("severe", 1)
    assert subjects(finding) == {str(item_id("early"))}
    assert finding.examples[0].times["published_at"] == NOW + timedelta(microseconds=1)
    assert not library.audit().ok


def test_as_of_after_available(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=NOW, as_of=NOW + timedelta(days=1)))
    library.put(note(2, "copper", available_at=NOW, as_of=NOW))
    finding = found(library.audit(), "as_of_after_available")
    assert (finding.severity, finding.count, subjects(finding)) == ("severe", 1, {str(item_id(1))})


def test_back_filled(library: HybridLibrary, clock: Clock) -> None:
    library.put(note("old", "copper", available_at=NOW - timedelta(days=1, microseconds=1)))
    library.put(note("in time", "copper", available_at=NOW - timedelta(days=1)))
    library.put(note("ahead", "copper", available_at=NOW + timedelta(days=9)))
    clock.now = NOW + timedelta(days=50)
    library.put(filing("tree", ["copper"], available_at=NOW))
    finding = found(library.audit(), "back_filled")
    assert (finding.severity, finding.count) == ("note", 2)
    assert finding.groups["item_type"] == {"filing": 1, "note": 1}
    late = found(library.audit(since=NOW + timedelta(days=1)), "back_filled")
    assert (late.severity, late.count, subjects(late)) == ("severe", 1, {str(item_id("tree"))})
    assert late.examples[0].times["recorded_at"] == clock.now
    assert "back_filled" not in kinds(library.audit(since=clock.now + timedelta(seconds=1)))


@pytest.mark.parametrize("late", [timedelta(microseconds=1), timedelta(hours=10), timedelta(days=2)])
def test_a_late_item_changed_answers_in_between(library: HybridLibrary, clock: Clock, late: timedelta) -> None:
    library.put(note("in time", "copper", available_at=NOW))
    asked = clock.now + timedelta(hours=1)
    clock.now = asked + timedelta(hours=1)
    library.put(note("at once", "copper", available_at=clock.now))
    library.put(note("late", "copper", available_at=clock.now - late))
    finding = found(library.audit(since=asked), "back_filled")
    assert (finding.severity, subjects(finding)) == ("severe", {str(item_id("late"))})


@pytest.mark.parametrize("damage", [
    "x'00'", "'text'", pytest.param("5", marks=pytest.mark.sqlite_only("no number fits the column")),
])  # fmt: skip
def test_a_damaged_payload_is_named(library: HybridLibrary, damage: str) -> None:
    library.put(note("one", "copper"))
    with library._database.write() as connection:
        connection.text_rows(said(f"UPDATE revision SET payload = {damage}"))
    with pytest.raises(BrokenInvariant, match=str(item_id("one"))):
        library.audit(cutoffs=[NOW])
    with pytest.raises(BrokenInvariant, match=str(item_id("one"))):
        library.get(item_id("one"))
    library.purge(item_id("one"))


def test_a_damaged_time_of_publication_is_named(library: HybridLibrary) -> None:
    library.put(note("one", "copper", source=SourceRef(kind="http", published_at=NOW)))
    with library._database.write() as connection:
        connection.text_rows(said(
            "UPDATE revision SET source = json_set(source, '$.published_at', 'some day')",
            """UPDATE revision SET source = CAST(CAST(source AS JSONB) || '{"published_at": "some day"}' AS JSON)""",
        ))  # fmt: skip
    with pytest.raises(BrokenInvariant, match=str(item_id("one"))):
        library.audit()
    library.purge(item_id("one"))


def test_purges(library: HybridLibrary, clock: Clock) -> None:
    library.put_many([note(1, "copper", available_at=NOW), note(2, "copper", available_at=NOW)])
    library.purge(item_id(1), reason="licence ended")
    clock.now = NOW + timedelta(days=5)
    library.purge(item_id(2))
    finding = found(library.audit(), "purge")
    assert (finding.severity, finding.count) == ("note", 2)
    assert [(one.subject, one.detail) for one in finding.examples] == [
        (str(item_id(2)), "no reason given"), (str(item_id(1)), "licence ended"),
    ]  # fmt: skip
    since = found(library.audit(since=clock.now), "purge")
    assert (since.severity, since.count) == ("severe", 1)
    assert "edit_of_the_past" not in kinds(library.audit())


def test_edits_of_the_past(library: HybridLibrary, clock: Clock, open_library: Any) -> None:
    old = NOW - timedelta(hours=1)
    library.put_many([note(name, f"copper {name}", available_at=old) for name in range(3)])
    clock.now = later = NOW + timedelta(hours=2)
    library.put(note(0, "copper corrected", available_at=old))
    library.put(note(1, "copper before", available_at=old - timedelta(hours=1)))
    library.delete(item_id(2), at=NOW)
    library.put(note(1, "copper, ahead of time", available_at=later + timedelta(days=1)))
    library.put(note(1, "copper, ahead of time, corrected", available_at=later + timedelta(days=1)))
    with library._database.write() as connection:
        change_settings(connection, library.settings, now=int(later.timestamp()) * 1_000_000, why="tuned on 2023")
    report = library.audit(since=later)
    finding = found(report, "edit_of_the_past")
    assert (finding.severity, finding.count) == ("severe", 4)
    assert finding.groups == {"edit": {"correction": 1, "insertion": 1, "settings": 1, "withdrawal": 1}}
    details = [one.detail for one in finding.examples]
    assert details == ["settings: tuned on 2023", "withdrawal", "insertion", "correction"]
    correction = finding.examples[-1]
    assert (correction.subject, correction.times) == (str(item_id(0)), {"affected_from": old, "recorded_at": later})
    assert kinds(report) == {"edit_of_the_past", "back_filled"}
    assert found(library.audit(), "edit_of_the_past").severity == "note"
    assert library.audit(since=later + timedelta(seconds=1)).findings == ()


def test_vectors_and_spaces_are_edits(open_library: Any, clock: Clock) -> None:
    with open_library(embedder=None, clock=clock) as words:
        words.put(note(1, "copper", available_at=NOW - timedelta(hours=1)))
    library = open_library(clock=clock)
    library.embed_pending()
    other = open_library(embedder=HashEmbedder(8, "other"), clock=clock)
    other.embed_pending()
    assert found(other.audit(), "edit_of_the_past").groups == {"edit": {"embedding": 1, "space": 1}}


@pytest.fixture
def written(library: HybridLibrary) -> HybridLibrary:
    """Items that models wrote, one plain one, and one that was gone before the first cutoff."""
    models = ("gpt-3.5-turbo", "openai/gpt-4", "ours-7b")
    old, gpt4, odd = (ExtractionRef(producer="flow", model=name) for name in models)
    start = datetime(2023, 3, 5, tzinfo=UTC)
    library.put_many([
        note("plain", "copper", available_at=start),
        note("program", "copper program", available_at=start, extraction=ExtractionRef(producer="parser")),
        note("old", "copper old", available_at=start, extraction=old),
        note("new", "copper new", available_at=start, extraction=gpt4),
        note("odd", "copper odd", available_at=start, extraction=odd),
        note("gone", "copper gone", available_at=start - timedelta(days=20), extraction=gpt4),
        note("no time", "copper", available_at=None, extraction=gpt4),
    ])
    library.delete(item_id("gone"), at=start - timedelta(days=10))
    return library


def test_items_written_by_newer_models(written: HybridLibrary) -> None:
    early = written.audit(cutoffs=[datetime(2023, 3, 10, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC)])
    newer = found(early, "written_by_newer_model")
    assert (newer.severity, newer.count, newer.groups) == ("severe", 1, {"model": {"openai/gpt-4": 1}})
    assert subjects(newer) == {str(item_id("new"))}
    assert newer.examples[0].times["released"] == datetime(2023, 3, 14, tzinfo=UTC)
    unknown = found(early, "written_by_unknown_model")
    assert (unknown.severity, subjects(unknown)) == ("note", {str(item_id("odd"))})
    assert {(use.model, use.role, use.released) for use in early.models if use.role == "writing"} == {
        ("gpt-3.5-turbo", "writing", date(2023, 3, 1)), ("openai/gpt-4", "writing", date(2023, 3, 14)),
        ("ours-7b", "writing", None),
    }  # fmt: skip


def test_models_older_than_every_cutoff_are_no_finding(written: HybridLibrary) -> None:
    late = written.audit(cutoffs=[datetime(2023, 3, 15, tzinfo=UTC)])
    assert "written_by_newer_model" not in kinds(late)
    same_day = written.audit(cutoffs=[datetime(2023, 3, 14, 23, 59, tzinfo=UTC)])
    assert "written_by_newer_model" in kinds(same_day)
    assert "written_by_newer_model" not in kinds(written.audit())
    before_all = written.audit(cutoffs=[datetime(2023, 1, 1, tzinfo=UTC)])
    assert not {"written_by_newer_model", "written_by_unknown_model"} & kinds(before_all)


def test_embedding_models(open_library: Any) -> None:
    library = open_library(embedder=HashEmbedder(8, "text-embedding-3-small"))
    library.put(note(1, "copper", available_at=day(0)))
    newer = found(library.audit(cutoffs=[datetime(2024, 1, 25, tzinfo=UTC)]), "newer_embedding_model")
    assert (newer.severity, subjects(newer)) == ("note", {"text-embedding-3-small"})
    assert "newer_embedding_model" not in kinds(library.audit(cutoffs=[datetime(2024, 1, 26, tzinfo=UTC)]))
    (use,) = library.audit().models
    assert use == ModelUse("text-embedding-3-small", "embedding", date(2024, 1, 25), 1)


def test_embedding_model_of_unknown_age(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=NOW))
    unknown = found(library.audit(cutoffs=[NOW]), "unknown_embedding_model")
    assert (unknown.severity, unknown.groups) == ("note", {"model": {"fake": 1}})
    assert library.audit().findings == ()


def test_settings_newer_than_a_cutoff(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=NOW))
    with library._database.write() as connection:
        change_settings(connection, library.settings, now=int(day(101).timestamp()) * 10**6, why="gold set of April")
    newer = found(library.audit(cutoffs=[NOW]), "newer_settings")
    assert (newer.severity, newer.examples[0].detail) == ("note", "gold set of April")
    assert "newer_settings" not in kinds(library.audit(cutoffs=[day(101)]))


def test_severe_findings_come_first_and_the_report_is_json(library: HybridLibrary) -> None:
    library.put(note(1, "copper", available_at=None))
    library.put(note(2, "copper", available_at=NOW, as_of=NOW + timedelta(days=1)))
    report = library.audit(since=day(1), cutoffs=[day(50), day(40), day(50)])
    assert [finding.severity for finding in report.findings] == ["severe", "note", "note"]
    assert (report.cutoffs, report.first_cutoff, report.last_cutoff) == (2, day(40), day(50))
    told = json.loads(report.to_json())
    assert told == report.to_dict()
    assert told["ok"] is False
    assert told["since"] == day(1).isoformat()
    assert told["findings"][0]["kind"] == "as_of_after_available"
    assert told["findings"][0]["examples"][0]["times"]["as_of"] == (NOW + timedelta(days=1)).isoformat()
    assert told["models"][0]["released"] is None


def test_naive_times_are_refused(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput, match="naive"):
        library.audit(since=datetime(2024, 1, 1))
    with pytest.raises(InvalidInput, match="naive"):
        library.audit(cutoffs=[datetime(2024, 1, 1)])


def test_counts_are_whole_and_examples_few(library: HybridLibrary) -> None:
    library.put_many(note(number, "copper", available_at=None) for number in range(50))
    finding = found(library.audit(), "unknown_availability")
    assert (finding.count, len(finding.examples)) == (50, 20)


def test_every_kind_has_a_meaning_and_the_docs_name_it() -> None:
    from pathlib import Path

    page = (Path(__file__).resolve().parents[2] / "docs" / "time.md").read_text(encoding="utf-8")
    assert not [kind for kind in KINDS if f"| `{kind}` |" not in page]
    assert not [model for model in RELEASED if f"`{model}`" not in page]


@pytest.mark.parametrize(
    ("model", "day"),
    [
        (LOCAL_SPACE.model, date(2021, 8, 31)),
        ("sentence-transformers/all-MiniLM-L6-v2", date(2021, 8, 31)),
        ("openai:text-embedding-ada-002", date(2022, 12, 15)),
        ("text-embedding-3-large", date(2024, 1, 25)),
        ("gpt-4o-2024-08-06", date(2024, 8, 6)),
        ("claude-3-5-sonnet-20240620", date(2024, 6, 20)),
        ("ours-2024-13-45", None),
        ("gpt-9", None),
        ("", None),
    ],
)
def test_release_dates(model: str, day: date | None) -> None:
    assert released(model) == day
