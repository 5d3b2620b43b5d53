"""Coverage: what should be in, from anything that says so, against what is."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import Opener
from hybridkb import HybridLibrary
from hybridkb.embedders import EmbeddingSpace
from hybridkb.errors import InvalidFilter, InvalidInput, UnreadableDocument
from hybridkb.knowledge import Provenance
from hybridkb.knowledge.card import card_id
from hybridkb.memory import (
    CollectedCards,
    KnowledgeCard,
    SkippedCard,
    UpcomingCard,
    collect_article_sources,
    coverage_report,
    ingest_sources,
)
from oracles.items import day, note
from support.fake_embedder import HashEmbedder

ARTICLE = Provenance("article")


def card(slug: str, text: str = "copper", **fields: Any) -> KnowledgeCard:
    return KnowledgeCard(slug, text, fields.pop("provenance", ARTICLE), **{"available_at": day(1), **fields})


@pytest.fixture
def filled(library: HybridLibrary) -> HybridLibrary:
    ingest_sources(library, [card(slug, "word " * 9) for slug in "abc"], words_per_chunk=4, overlap=0)
    return library


@pytest.mark.parametrize("written", ["cafe\u0301", " caf\u00e9 ", "caf\u00e9\t"])
@pytest.mark.parametrize("held", ["cafe\u0301", "caf\u00e9"])
def test_a_name_is_found_in_any_unicode_form_and_without_its_white_space(written: str, held: str) -> None:
    report = coverage_report([written, "other "], indexed_slugs=[held])
    assert (report.covered, report.missing, report.orphans) == (1, ("other",), ())


def test_two_spellings_of_one_name_are_one_that_is_due_when_either_is() -> None:
    both = [{"slug": "caf\u00e9", "status": "draft"}, {"slug": "cafe\u0301"}]
    for entries in (both, both[::-1]):
        report = coverage_report(entries, indexed_slugs=["caf\u00e9"])
        assert (report.expected, report.covered, report.upcoming) == (1, 1, ())


@pytest.mark.parametrize("expected", [
    {"articles": {"a": None, "b": "draft"}},
    {"version": 3, "entries": {"a": {}, "b": {"draft": True}}},
    {"slugs": ["a", {"slug": "b", "status": "draft"}]},
    {"a": None, "b": "draft"},
])  # fmt: skip
def test_a_mapping_may_hold_its_entries_under_a_name(expected: Any) -> None:
    report = coverage_report(expected, indexed_slugs=["a"])
    assert (report.expected, report.coverage_pct, report.upcoming) == (1, 100.0, ("b",))


def test_a_mapping_with_a_slug_is_one_entry() -> None:
    report = coverage_report({"slug": "a", "status": "live"}, indexed_slugs=["a"])
    assert (report.expected, report.covered, report.orphans) == (1, 1, ())


@pytest.mark.parametrize("text", ['"other.json"', "null", "5", "true"])
def test_a_manifest_is_a_list_or_an_object_and_leads_to_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.json").write_text('["a"]', encoding="utf-8")
    Path("m.json").write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableDocument, match="neither a list nor an object"):
        coverage_report("m.json", indexed_slugs=["a"])


@pytest.mark.parametrize(("name", "text"), [
    ("m.json", '{"a": "draft", "a": null}'),
    ("m.jsonl", '{"slug": "a", "slug": "b"}'),
])  # fmt: skip
def test_a_manifest_that_names_a_key_twice_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableDocument, match="stands twice"):
        coverage_report(tmp_path / name, indexed_slugs=["a"])


# --- pure inputs ------------------------------------------------------------------------------------------------


def test_slugs_against_slugs() -> None:
    report = coverage_report(["a", "b", "c", "d"], indexed_slugs=["b", "x", "a", "d"])
    assert report.coverage_pct == 75.0
    assert (report.expected, report.covered) == (4, 3)
    assert (report.missing, report.orphans) == (("c",), ("x",))
    assert report.indexed_slugs == ("a", "b", "d", "x")
    assert report.chunk_counts == {}
    assert report.taken_at is None
    assert report.not_counted.keys() >= {"stale", "without_vectors", "truncated"}


def test_chunk_counts_alone_say_what_is_in() -> None:
    report = coverage_report(["a", "b"], chunk_counts={"b": 3, "x": 1})
    assert (report.missing, report.orphans, report.chunk_counts) == (("a",), ("x",), {"b": 3, "x": 1})
    both = coverage_report(["a"], indexed_slugs=["a", "b"], chunk_counts={"a": 2, "z": 9})
    assert (both.indexed_slugs, both.chunk_counts) == (("a", "b"), {"a": 2})


def test_twelve_of_sixty_three() -> None:
    slugs = [f"article-{number:02}" for number in range(63)]
    report = coverage_report(slugs, indexed_slugs=slugs[:12])
    assert report.coverage_pct == pytest.approx(19.0476, abs=1e-4)
    assert len(report.missing) == 51


def test_upcoming_and_draft_are_neither_missing_nor_orphans() -> None:
    entries = [
        {"slug": "a", "status": "published"}, {"slug": "b", "status": "upcoming"}, {"slug": "c", "status": "Draft"},
        {"slug": "d", "draft": True}, {"slug": "e", "upcoming": 1}, {"slug": "f", "status": None}, ("g", "in_progress"),
    ]  # fmt: skip
    report = coverage_report(entries, indexed_slugs=["a", "b"])
    assert report.upcoming == ("b", "c", "d", "e", "g")
    assert (report.missing, report.orphans, report.coverage_pct) == (("f",), (), 50.0)


def test_nothing_expected_is_not_full_coverage() -> None:
    assert coverage_report([], indexed_slugs=["a"]).coverage_pct == 0.0
    assert coverage_report([("a", "draft")], indexed_slugs=[]).coverage_pct == 0.0


def test_an_entry_given_twice_counts_once_and_should_be_in_if_one_says_so() -> None:
    report = coverage_report([("a", "draft"), "a", "b", ("b", "draft")], indexed_slugs=["a"])
    assert (report.expected, report.missing, report.upcoming) == (2, ("b",), ())


@dataclass
class Row:
    slug: str
    status: str = "published"


class Store:
    """What keeps a table of articles."""

    def articles(self) -> list[Any]:
        return [Row("a"), Row("b", "upcoming"), {"slug": "c", "status": "published"}]


def test_any_table_of_articles_and_any_call_will_do() -> None:
    for expected in (Store(), lambda: Store(), lambda: ["a", "c"], iter(["a", "c"]), {"a": "published", "c": None},
                     {"articles": ["a", "c"]}, {"a": {"status": "live"}, "c": {}, "b": {"draft": True}}):  # fmt: skip
        assert coverage_report(expected, indexed_slugs=["a"]).missing == ("c",)


def test_rows_of_a_database_will_do() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("VALUES ('a', 'published'), ('b', 'draft')").fetchall()
    named = connection.execute("WITH t(slug, status) AS (VALUES ('a', 'published'), ('b', 'draft')) SELECT * FROM t")
    report = coverage_report(named.fetchall(), indexed_slugs=["a"])
    assert (report.coverage_pct, report.upcoming) == (100.0, ("b",))
    with pytest.raises(InvalidInput, match="entry 0"):
        coverage_report(rows, indexed_slugs=["a"])


@pytest.mark.parametrize("expected", [None, 7, [7], [""], [{"status": "draft"}], [None], {"a": 7}])
def test_what_names_nothing_is_refused(expected: Any) -> None:
    with pytest.raises(InvalidInput):
        coverage_report(expected, indexed_slugs=["a"])


def test_a_call_that_returns_itself_is_refused() -> None:
    def endless() -> Any:
        return endless

    with pytest.raises(InvalidInput, match="on and on"):
        coverage_report(endless, indexed_slugs=[])


def test_something_must_say_what_is_in() -> None:
    with pytest.raises(InvalidInput, match="needs a library"):
        coverage_report(["a"])


# --- manifests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.json", '["a", {"slug": "b", "status": "draft"}, "c"]'),
        ("m.json", '{"entries": [{"path": "a"}, {"slug": "b", "draft": true}, {"name": "c"}]}'),
        ("m.json", '{"a": {}, "b": "draft", "c": null}'),
        ("m.jsonl", '{"slug": "a"}\n\n{"slug": "b", "upcoming": true}\n"c"\n'),
        ("m.csv", "slug,status\na,published\nb,draft\nc,\n"),
        ("m.TSV", "status\tslug\n\ta\ndraft\tb\n\tc\n"),
    ],
)
def test_manifests_of_every_kind_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    for expected in (path, str(path)):
        report = coverage_report(expected, indexed_slugs=["a"])
        assert (report.missing, report.upcoming, report.coverage_pct) == (("c",), ("b",), 50.0)


@pytest.mark.parametrize(
    ("name", "text"),
    [("m.json", "{nope"), ("m.jsonl", '{"slug": "a"}\n{nope'), ("m.csv", "slug,slug\na,b"), ("m.csv", 'slug\n"a'),
     ("m.json", "\x89PNG\r\n\x1a\n\0\0")],
)  # fmt: skip
def test_a_broken_manifest_is_an_error_and_not_a_short_list(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableDocument):
        coverage_report(tmp_path / name, indexed_slugs=["a"])


def test_what_is_no_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.md").write_text("a")
    for path in (tmp_path / "m.md", tmp_path / "nowhere", "nowhere.json"):
        with pytest.raises(InvalidInput):
            coverage_report(path, indexed_slugs=["a"])


# --- a library --------------------------------------------------------------------------------------------------


def test_a_library_is_counted(filled: HybridLibrary) -> None:
    report = coverage_report(["a", "b", "d"], filled)
    assert (report.missing, report.orphans) == (("d",), ("c",))
    assert report.chunk_counts == {"a": 3, "b": 3, "c": 3}
    assert report.without_provenance == report.without_vectors == report.without_availability == report.stale == ()
    assert report.not_counted == {}
    assert report.taken_at is not None


def test_withdrawn_cards_are_missing(filled: HybridLibrary) -> None:
    filled.delete(card_id("a"))
    assert coverage_report(["a", "b", "c"], filled).missing == ("a",)


def test_what_is_of_another_kind_is_no_orphan(filled: HybridLibrary) -> None:
    filled.put(note("n", "a note"))
    ingest_sources(filled, [card("s", provenance=Provenance("scout"))])
    assert coverage_report(["a", "b", "c"], filled).orphans == ("s",)
    report = coverage_report(["a", "b", "c"], filled, sources=["article"])
    assert (report.orphans, report.coverage_pct) == ((), 100.0)
    assert coverage_report(["s"], filled, sources="scout").coverage_pct == 100.0
    with pytest.raises((InvalidInput, InvalidFilter), match="source class"):
        coverage_report(["s"], filled, sources=["gossip"])


def test_gaps_are_named_by_kind(open_library: Opener) -> None:
    library = open_library(embedder=None)
    ingest_sources(library, [card("undated", available_at=None), card("dated")])
    report = coverage_report(["undated", "dated"], library)
    assert report.without_availability == ("undated",)
    assert report.without_vectors == ("dated", "undated")
    assert "truncated" in report.not_counted
    stored = library.get(card_id("dated"))
    library.put(stored.model_copy(update={"provenance": None}))
    assert coverage_report(["undated", "dated"], library).without_provenance == ("dated",)


class _Short(HashEmbedder):
    max_windows = 1

    def __init__(self) -> None:
        super().__init__(8)
        self.space = EmbeddingSpace("short", 8, "1", max_tokens=2)

    def is_truncated(self, text: str) -> bool:
        return len(text.split()) > 4


def test_cards_not_read_to_the_end_are_named(open_library: Opener) -> None:
    library = open_library(embedder=_Short())
    report = ingest_sources(library, [card("long", "word " * 9), card("short", "word")])
    assert report.truncated_texts == 1
    assert coverage_report(["long", "short"], library).truncated == ("long",)


def test_cards_whose_text_changed_are_stale(filled: HybridLibrary) -> None:
    same, changed = card("a", "word " * 9), card("b", "other words")
    report = coverage_report([same, changed, card("z")], filled)
    assert (report.stale, report.missing, report.orphans) == (("b",), ("z",), ("c",))
    assert coverage_report([card("a", "word " * 9, available_at=day(5))], filled).stale == ("a",)
    assert coverage_report([card("a", "word " * 9, available_at=None)], filled).stale == ()
    ingest_sources(filled, [changed])
    assert coverage_report([same, changed], filled).stale == ()


def test_a_manifest_may_carry_hashes(filled: HybridLibrary, tmp_path: Path) -> None:
    good = card("a", "word " * 9).content_hash
    lines = [{"slug": "a", "content_hash": good}, {"slug": "b", "sha256": "SHA256:" + "0" * 64}, {"slug": "c"}]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, lines)))
    report = coverage_report(tmp_path / "m.jsonl", filled)
    assert (report.stale, report.coverage_pct) == (("b",), 100.0)


def test_what_a_reader_collected_brings_its_drafts_and_its_faults(filled: HybridLibrary) -> None:
    collected = CollectedCards(
        (card("a", "word " * 9), card("d")), (SkippedCard("x.md", "unreadable"),), (UpcomingCard("b", "draft"),)
    )
    report = coverage_report(collected, filled)
    assert (report.missing, report.upcoming, report.orphans) == (("d",), ("b",), ("c",))
    assert report.unreadable == (SkippedCard("x.md", "unreadable"),)
    assert coverage_report(card("a", "word " * 9), filled).coverage_pct == 100.0


def test_a_folder_of_articles(open_library: Opener, tmp_path: Path) -> None:
    root = tmp_path / "articles"
    (root / "sub").mkdir(parents=True)
    for name, text in (("a.md", "one"), ("sub/b.md", "two"), ("c.md", "---\nstatus: draft\n---\nthree"), ("d.md", "")):
        (root / name).write_text(text)
    library = open_library()
    ingest_sources(library, collect_article_sources(root))
    (root / "a.md").write_text("one and more")
    (root / "e.md").write_text("new")
    report = coverage_report(root, library)
    assert report.coverage_pct == pytest.approx(66.67, abs=0.01)
    assert (report.missing, report.stale, report.upcoming, report.orphans) == (("e",), ("a",), ("c",), ())
    assert [one.place for one in report.unreadable] == ["d.md"]
    assert coverage_report(str(root), indexed_slugs=["a", "sub/b", "e"]).coverage_pct == 100.0
    assert coverage_report(lambda: collect_article_sources(root), library).missing == ("e",)


def test_given_slugs_stand_in_for_the_library_s(filled: HybridLibrary) -> None:
    report = coverage_report(["a", "d"], filled, indexed_slugs=["a", "d"])
    assert (report.coverage_pct, report.indexed_slugs, report.chunk_counts) == (100.0, ("a", "d"), {"a": 3})


def test_an_empty_library_covers_nothing(library: HybridLibrary) -> None:
    report = coverage_report(["a"], library)
    assert (report.coverage_pct, report.missing, report.indexed_slugs) == (0.0, ("a",), ())


def test_a_folder_kept_in_step(open_library: Opener, tmp_path: Path) -> None:
    root, other = tmp_path / "desk", tmp_path / "other"
    for folder in (root, other):
        (folder / "sub").mkdir(parents=True)
    for name in ("a.md", "b.txt", "sub/c.csv"):
        (root / name).write_text("name,value\ncopper,1\n")
    (root / "bad.pdf").write_text("no PDF")
    (root / "picture.png").write_text("not indexed")
    (other / "x.md").write_text("elsewhere")
    library = open_library()
    library.sync(root)
    library.sync(other, collection="other")
    ingest_sources(library, [card("card")])
    full = coverage_report(root, library)
    assert full.indexed_slugs == ("a.md", "b.txt", "sub/c.csv")
    assert (full.missing, full.orphans, full.stale) == (("bad.pdf",), (), ())
    assert [one.place for one in full.unreadable] == ["bad.pdf"]
    assert full.without_provenance == full.without_availability == ("a.md", "b.txt", "sub/c.csv")
    (root / "a.md").write_text("changed")
    (root / "b.txt").unlink()
    (root / "new.md").write_text("new")
    report = coverage_report(str(root), library)
    assert (report.missing, report.orphans, report.stale) == (("bad.pdf", "new.md"), ("b.txt",), ("a.md",))
    library.sync(root)
    assert coverage_report(root, library).coverage_pct == 75.0
    assert coverage_report(other, library).coverage_pct == 100.0


def test_documents_may_be_expected_by_path(open_library: Opener, tmp_path: Path) -> None:
    root = tmp_path / "desk"
    root.mkdir()
    (root / "a.md").write_text("---\ntype: thesis\n---\nwords")
    library = open_library()
    library.sync(root)
    ingest_sources(library, [card("card")])
    report = coverage_report(["a.md", "b.md"], library)
    assert (report.missing, report.orphans, report.coverage_pct) == (("b.md",), (), 50.0)
    assert coverage_report(["card", "a.md"], library).coverage_pct == 100.0
