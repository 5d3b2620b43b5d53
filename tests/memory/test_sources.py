"""Articles and scouts: a folder of Markdown with front matter, each fault of a file said, never a fault of the run."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conftest import Opener
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Provenance
from hybridkb.memory import (
    CollectedCards,
    KnowledgeCard,
    UpcomingCard,
    collect_article_sources,
    collect_scout_sources,
    ingest_sources,
)
from hybridkb.memory import files as files_module

END_OF_MARCH_1 = datetime(2024, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC)


def write(root: Path, name: str, text: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def matter(body: str = "Copper is scarce.", **fields: Any) -> str:
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + f"---\n{body}"


def articles(root: Path, **options: Any) -> CollectedCards:
    return collect_article_sources(root, **options)


def only(collected: CollectedCards) -> KnowledgeCard:
    (card,) = collected
    return card


def test_an_article_is_its_text_and_what_its_front_matter_says(tmp_path: Path) -> None:
    says = {"title": "Basis", "date": "2024-03-01", "tags": "[rates, funding]", "kind": "essay",
            "link": "https://example.org/basis", "as_of": "2024-02-29T12:00:00Z"}  # fmt: skip
    write(tmp_path, "rates/basis.md", matter("# Heading\n\nThe  basis trade.\n", **says))
    card = only(articles(tmp_path))
    assert (card.slug, card.text, card.title) == ("rates/basis", "# Heading\n\nThe  basis trade.\n", "Basis")
    assert card.provenance == Provenance("article", "essay", "2024-03-01", None, "https://example.org/basis")
    assert card.tags == ("rates", "funding")
    assert card.as_of == datetime(2024, 2, 29, 12, tzinfo=UTC)
    assert (card.available_at, card.availability_basis) == (END_OF_MARCH_1, "published")
    assert card.source is not None
    assert (card.source.kind, card.source.uri) == ("local", "rates/basis.md")
    assert len(card.content_hash) == 64


def test_slugs_are_paths_without_their_ending(tmp_path: Path) -> None:
    for name in ("b.md", "a.markdown", "deep/c.MD", "trade/article.md", "trade/index.markdown", "index.md", "x.y.md"):
        write(tmp_path, name, "words")
    collected = articles(tmp_path)
    assert [card.slug for card in collected] == ["a", "b", "deep/c", "index", "trade", "x.y"]
    assert [one.place for one in collected.skipped] == ["trade/index.markdown"]
    assert "trade/article.md" in collected.skipped[0].reason
    assert next(card.slug for card in articles(tmp_path, prefix="essays/")) == "essays/a"


def test_a_file_may_name_itself(tmp_path: Path) -> None:
    write(tmp_path, "a.md", matter(slug="own/name"))
    write(tmp_path, "b.md", matter(slug="../../etc/passwd"))
    collected = articles(tmp_path)
    assert only(collected).slug == "own/name"
    assert [one.place for one in collected.skipped] == ["b.md"]


def test_without_front_matter_everything_unknown_stays_unknown(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "# The heading\n\nwords\n")
    card = only(articles(tmp_path))
    assert (card.title, card.as_of, card.available_at, card.availability_basis) == ("The heading", None, None, None)
    assert card.provenance == Provenance("article", "article")


@pytest.mark.parametrize(
    ("fields", "available_at", "basis"),
    [
        ({"date": "2024-03-01"}, END_OF_MARCH_1, "published"),
        ({"published_at": "2024-03-01T08:00:00-05:00"}, datetime(2024, 3, 1, 13, tzinfo=UTC), "published"),
        ({"date": "2024-02-01", "updated": "2024-03-01"}, END_OF_MARCH_1, "published"),
        ({"date": "2024-03-01", "updated": "2024-02-01"}, END_OF_MARCH_1, "published"),
        ({"date": "2024-02-01", "available_at": "2024-03-01"}, END_OF_MARCH_1, "stated"),
        ({"fetched_at": "2024-03-01"}, END_OF_MARCH_1, "fetched"),
        ({"date": "2024-03-01", "fetched_at": "2024-05-01"}, END_OF_MARCH_1, "published"),
        ({"date": "2024-03-01", "available_at": "unknown"}, None, None),
        ({"date": "2024-03-01", "available_at": "soon"}, None, None),
        ({"date": "some day"}, None, None),
        ({"date": "2024-01-01", "updated_at": "some day"}, None, None),
        ({"date": "2024-01-01", "revised": "2024-02-01", "updated": "2024-03-01"}, END_OF_MARCH_1, "published"),
        ({"date": "2024-01-01", "revised": "2024-02-01", "updated": "soon"}, None, None),
        ({"fetched_at": "2024-03-01", "accessed": "soon"}, None, None),
        ({"available_at": "2024-03-01", "updated_at": "soon"}, END_OF_MARCH_1, "stated"),
        ({"title": "t"}, None, None),
    ],
)
def test_availability_errs_towards_seeing_less(
    tmp_path: Path, fields: dict[str, str], available_at: datetime | None, basis: str | None
) -> None:
    write(tmp_path, "a.md", matter(**fields))
    card = only(articles(tmp_path))
    assert (card.available_at, card.availability_basis) == (available_at, basis)


def test_a_day_is_read_in_the_zone_given(tmp_path: Path) -> None:
    write(tmp_path, "a.md", matter(date="2024-03-01"))
    card = only(articles(tmp_path, zone="America/New_York"))
    assert card.available_at == datetime(2024, 3, 2, 4, 59, 59, 999_999, tzinfo=UTC)
    assert card.provenance.doc_date == "2024-03-01"
    with pytest.raises(InvalidInput):
        articles(tmp_path, zone="Nowhere/Else")


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"status": "draft"}, "draft"), ({"status": "Upcoming"}, "upcoming"), ({"draft": "true"}, "draft"),
     ({"status": "in-progress"}, "in progress"), ({"upcoming": "yes"}, "upcoming"), ({"status": "[draft]"}, "draft"),
     ({"draft": "[true]"}, "draft")],
)  # fmt: skip
def test_what_is_not_published_is_listed_not_read(tmp_path: Path, fields: dict[str, str], status: str) -> None:
    write(tmp_path, "a.md", matter(**fields))
    collected = articles(tmp_path)
    assert (collected.cards, collected.skipped) == ((), ())
    assert collected.upcoming == (UpcomingCard("a", status),)


def test_an_unknown_status_is_published_and_noted(tmp_path: Path) -> None:
    write(tmp_path, "a.md", matter(status="beautiful"))
    write(tmp_path, "b.md", matter(status="final", draft="false"))
    collected = articles(tmp_path)
    assert [card.slug for card in collected] == ["a", "b"]
    (note,) = collected.notes
    assert note.startswith("a.md: status 'beautiful'")


def test_a_file_may_lower_its_trust_and_never_raise_it(tmp_path: Path) -> None:
    write(tmp_path, "a.md", matter(source_class="deep_research", verdict="go"))
    write(tmp_path, "b.md", matter(source_class="article", verdict="go"))
    write(tmp_path, "c.md", matter(source="article", verdict="go"))
    write(tmp_path, "d.md", "---\nprovenance:\n  source: article\nverdict: go\n---\nwords")
    assert [card.provenance.source for card in articles(tmp_path)] == ["deep_research"] + ["article"] * 3
    scouts = collect_scout_sources(tmp_path)
    assert [card.provenance.source for card in scouts] == ["deep_research"] + ["scout"] * 3
    assert len([note for note in scouts.notes if "not believed" in note]) == 3
    assert only(articles(tmp_path / "a.md", source="deep_research")).provenance.source == "deep_research"
    with pytest.raises(InvalidInput, match="source class"):
        articles(tmp_path, source="gossip")


def test_bad_files_are_named_with_their_reason_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path, "blank.md", matter(" \n"))
    write(tmp_path, "empty.md", b"")
    write(tmp_path, "good.md", "words")
    write(tmp_path, "picture.md", b"\x89PNG\r\n\x1a\n" + bytes(100))
    write(tmp_path, "other.txt", "not Markdown")
    write(tmp_path, ".hidden/x.md", "words")
    write(tmp_path, ".hidden.md", "words")
    (tmp_path / "folder.md").mkdir()
    collected = articles(tmp_path)
    assert [card.slug for card in collected] == ["good"]
    assert [one.place for one in collected.skipped] == ["blank.md", "empty.md", "picture.md"]
    assert "PNG" in collected.skipped[2].reason


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, "secret.md", "secret")
    root = tmp_path / "root"
    write(root, "a.md", "words")
    (root / "link.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    collected = articles(root)
    assert [card.slug for card in collected] == ["a"]
    assert [one.place for one in collected.skipped] == ["folder", "link.md", "loop"]


def test_files_that_are_too_large_or_no_files_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MAX_FILE_BYTES", 10)
    write(tmp_path, "large.md", "eleven bytes")
    write(tmp_path, "small.md", "ten bytes.")
    os.mkfifo(tmp_path / "pipe.md")
    collected = articles(tmp_path)
    assert [card.slug for card in collected] == ["small"]
    assert [one.place for one in collected.skipped] == ["large.md", "pipe.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read_are_said(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "words")
    (tmp_path / "a.md").chmod(0)
    assert [one.place for one in articles(tmp_path).skipped] == ["a.md"]


def test_a_name_that_is_no_text_is_said(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("words")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (skipped,) = articles(tmp_path).skipped
    assert skipped.place == "caf\ufffd.md"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="neither a folder nor a file"):
        articles(tmp_path / "nowhere")


def test_front_matter_is_never_executed_nor_trusted(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\ntitle: !!python/object/apply:os.system ['touch pwned']\ntags: &a [*a]\n---\nwords")
    collected = articles(tmp_path)
    assert not (tmp_path / "pwned").exists()
    assert only(collected).title is None


# --- scouts -----------------------------------------------------------------------------------------------------


def test_a_scout_carries_its_verdict(tmp_path: Path) -> None:
    write(tmp_path, "a.md", matter(verdict="No-Go", date="2024-03-01"))
    write(tmp_path, "b.md", matter(feasibility="yes"))
    first, second = collect_scout_sources(tmp_path, prefix="scouts/")
    assert first.provenance == Provenance("scout", "scout", "2024-03-01", "no-go", None)
    assert (second.slug, second.provenance.verdict) == ("scouts/b", "yes")


def test_a_scout_without_a_verdict_is_open_or_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a.md", matter(title="t"))
    write(tmp_path, "b.md", matter(status="running"))
    collected = collect_scout_sources(tmp_path)
    assert collected.cards == ()
    assert "verdict" in collected.skipped[0].reason
    assert collected.upcoming == (UpcomingCard("b", "running"),)


# --- the way into the library -----------------------------------------------------------------------------------


def test_reading_and_ingesting_again_changes_nothing(tmp_path: Path, open_library: Opener) -> None:
    write(tmp_path, "art/a.md", matter("one two three", date="2024-03-01"))
    write(tmp_path, "art/b.md", "no front matter")
    write(tmp_path, "art/c.md", matter(status="draft"))
    write(tmp_path, "art/d.md", b"\x89PNG\r\n\x1a\n")
    library = open_library()
    report = ingest_sources(library, articles(tmp_path / "art"))
    assert (report.slugs, [one.place for one in report.skipped]) == (("a", "b"), ["d.md"])
    assert report.upcoming == (UpcomingCard("c", "draft"),)
    again = ingest_sources(library, articles(tmp_path / "art"))
    assert (again.unchanged, again.slugs) == (("a", "b"), ())


def test_an_edit_with_its_date_is_a_revision_and_one_without_corrects(tmp_path: Path, open_library: Opener) -> None:
    library = open_library()
    write(tmp_path, "a.md", matter("copper", date="2024-03-01"))
    ingest_sources(library, articles(tmp_path))
    write(tmp_path, "a.md", matter("copper and tin", date="2024-03-01", updated="2024-04-01"))
    assert ingest_sources(library, articles(tmp_path)).revised == ("a",)
    assert not library.search("tin", mode="lexical", available_at_before=END_OF_MARCH_1)
    write(tmp_path, "a.md", matter("copper, tin, zinc", date="2024-03-01", updated="2024-04-01"))
    assert ingest_sources(library, articles(tmp_path)).corrected == ("a",)


def test_other_line_ends_are_no_edit(tmp_path: Path, open_library: Opener) -> None:
    library = open_library()
    text = matter("one\ntwo\n", date="2024-03-01")
    write(tmp_path, "a.md", text)
    ingest_sources(library, articles(tmp_path))
    write(tmp_path, "a.md", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert ingest_sources(library, articles(tmp_path)).unchanged == ("a",)
