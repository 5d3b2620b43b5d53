"""Ingest: clean replacement, nothing twice, each card whole or not at all, and everything said."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conftest import Opener
from hybridkb import HybridLibrary
from hybridkb.errors import DatabaseBusy, DatabaseError, EmbedderError, EmbedderUnavailable, InvalidInput, NotFound
from hybridkb.knowledge import Provenance, SourceRef
from hybridkb.knowledge.card import MemoryCard, card_id, chunk_locator
from hybridkb.memory import CollectedCards, IngestReport, KnowledgeCard, SkippedCard, UpcomingCard, ingest_sources
from oracles.items import day
from support.fake_embedder import HashEmbedder
from support.raw_rows import job_lock

ARTICLE = Provenance("article", "essay", "2024-01-05")


def words(prefix: str, count: int) -> str:
    return " ".join(f"{prefix}{number}" for number in range(count))


def card(slug: str = "a", text: str = "copper supply", **fields: Any) -> KnowledgeCard:
    fields.setdefault("available_at", day(1))
    return KnowledgeCard(slug, text, fields.pop("provenance", ARTICLE), **fields)


def ingest(library: HybridLibrary, *cards: Any, **options: Any) -> IngestReport:
    options.setdefault("words_per_chunk", 4)
    options.setdefault("overlap", 1)
    return ingest_sources(library, cards, **options)


def found(library: HybridLibrary, query: str, **filters: Any) -> list[str]:
    return [str(hit.locator) for hit in library.search(query, mode="lexical", **filters)]


@pytest.mark.parametrize("cards", [None, 5, "abc", b"abc", {"slug": "a"}, card()])
def test_what_is_no_list_of_cards_is_refused(library: HybridLibrary, cards: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        ingest_sources(library, cards)
    assert caught.value.field == "cards"


@pytest.mark.parametrize("size", [0, -1, 1.5, "16", True, None])
def test_an_embed_batch_that_is_no_number_of_texts_is_refused(library: HybridLibrary, size: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        ingest_sources(library, [card()], embed_batch=size)
    assert caught.value.field == "embed_batch"


def of_file(uri: str, source: str, **fields: Any) -> KnowledgeCard:
    return card(source=SourceRef(kind="local", uri=uri), provenance=Provenance(source), **fields)


def test_a_file_that_is_trusted_less_takes_no_slug_of_another(library: HybridLibrary) -> None:
    ingest_sources(library, CollectedCards((of_file("a.md", "article"),)))
    for hostile in (of_file("web/x.md", "deep_research", text="hostile", available_at=day(at)) for at in (1, 9)):
        report = ingest_sources(library, CollectedCards((hostile,)))
        assert (report.slugs, report.embedded) == ((), 0)
        assert "another slug" in report.skipped[0].reason
    assert found(library, "hostile") == []


def test_a_file_may_lower_its_own_trust_and_a_program_may_lower_any(library: HybridLibrary) -> None:
    ingest_sources(library, CollectedCards((of_file("a.md", "article"),)))
    lowered = ingest_sources(library, CollectedCards((of_file("a.md", "scout", available_at=day(2)),)))
    assert (lowered.revised, lowered.skipped) == (("a",), ())
    assert "it is scout from now on" in lowered.notes[0]
    chosen = ingest_sources(library, [card(provenance=Provenance("deep_research"), available_at=day(3))])
    assert (chosen.revised, len(chosen.notes)) == (("a",), 1)
    raised = ingest_sources(library, CollectedCards((of_file("b.md", "article", available_at=day(4)),)))
    assert (raised.revised, raised.notes) == (("a",), ())


def test_two_unicode_forms_of_a_slug_are_one_card(library: HybridLibrary) -> None:
    report = ingest(library, card("caf\u00e9"), card("cafe\u0301", "another text"))
    assert (report.added, len(report.skipped)) == (("caf\u00e9",), 1)
    assert ingest(library, card("cafe\u0301")).unchanged == ("caf\u00e9",)


def test_the_report_counts_what_was_written(library: HybridLibrary) -> None:
    scout = card("b", words("x", 9), provenance=Provenance("scout"))
    report = ingest(library, scout, card("a"))
    assert (report.chunks_written, report.slugs, report.added) == (4, ("b", "a"), ("b", "a"))
    assert list(report.by_source.items()) == [("article", 1), ("scout", 3)]
    assert (report.embedded, report.reused, report.pending, report.skipped) == (4, 0, 0, ())
    assert report.degraded is None


def test_every_hit_names_its_card_and_chunk(library: HybridLibrary) -> None:
    ingest(library, card("a", words("x", 9), title="Copper", tags=["metals"]))
    (hit,) = library.search("x8", mode="lexical")
    assert hit.locator == chunk_locator("a", 2)
    assert (hit.node_id, hit.item_type, hit.title, hit.provenance) == ("2", "memory_card", "Copper", ARTICLE)
    assert hit.citations[0].source_id == "a"
    assert hit.matched_text == "Copper\n\nx6 x7 x8"
    assert hit.available_at == day(1)


def test_a_card_is_found_by_its_chunks_alone(library: HybridLibrary) -> None:
    ingest(library, card("a", words("x", 9), title="Copper"))
    assert sorted(found(library, "copper")) == [str(chunk_locator("a", number)) for number in range(3)]
    assert library.stats().records == 3


def test_a_second_run_writes_and_embeds_nothing(library: HybridLibrary, embedder: HashEmbedder) -> None:
    cards = [card("a", words("x", 9)), card("b", available_at=None), card("c", provenance=Provenance("scout"))]
    ingest(library, *cards)
    calls, generation = embedder.document_calls, library.stats().generation
    report = ingest(library, *cards)
    assert (report.chunks_written, report.slugs, report.by_source) == (0, (), {})
    assert (report.unchanged, report.embedded, report.reused) == (("a", "b", "c"), 0, 0)
    assert (embedder.document_calls, library.stats().generation) == (calls, generation)


def test_a_card_without_any_time_keeps_the_time_of_its_first_ingest(open_library: Opener) -> None:
    clock = itertools.count(10)
    library = open_library(clock=lambda: day(next(clock)))
    nameless = KnowledgeCard("a", "copper", Provenance("article"))
    ingest(library, nameless)
    first = library.get(card_id("a")).as_of
    report = ingest(library, nameless)
    assert report.unchanged == ("a",)
    assert library.get(card_id("a")).as_of == first >= day(10)


def test_as_of_is_what_the_card_says_else_its_availability_else_its_day(library: HybridLibrary) -> None:
    ingest(
        library, card("said", as_of=day(0)), card("available"), card("dated", available_at=None),
    )  # fmt: skip
    assert library.get(card_id("said")).as_of == day(0)
    assert library.get(card_id("available")).as_of == day(1)
    assert library.get(card_id("dated")).as_of == datetime(2024, 1, 5, 23, 59, 59, 999_999, tzinfo=UTC)


def test_replacement_leaves_no_old_chunk_in_today_s_answers(library: HybridLibrary) -> None:
    ingest(library, card("a", words("old", 9)), card("b", "other"))
    report = ingest(library, card("a", words("new", 5), available_at=day(3)))
    assert (report.revised, report.corrected, report.chunks_written) == (("a",), (), 2)
    assert not found(library, "old1 old8")
    assert found(library, "new4") == [str(chunk_locator("a", 1))]
    assert found(library, "old8", available_at_before=day(2)) == [str(chunk_locator("a", 2))]
    assert not found(library, "new4", available_at_before=day(2))
    assert found(library, "other")


def test_replacement_at_the_same_instant_says_that_it_corrected_the_past(library: HybridLibrary) -> None:
    ingest(library, card("a", "old words"))
    report = ingest(library, card("a", "new words"))
    assert (report.corrected, report.revised) == (("a",), ())
    assert not found(library, "old", available_at_before=day(2))
    assert {finding.kind for finding in library.audit().findings} >= {"edit_of_the_past"}


def test_a_state_before_the_newest_is_said_to_be_superseded(library: HybridLibrary) -> None:
    ingest(library, card("a", "new words", available_at=day(5)))
    report = ingest(library, card("a", "old words", available_at=day(2)))
    assert (report.superseded, report.slugs) == (("a",), ("a",))
    assert found(library, "new")
    assert not found(library, "old")
    assert found(library, "old", available_at_before=day(3))


def test_a_withdrawn_card_stays_withdrawn_and_is_said_so(library: HybridLibrary) -> None:
    ingest(library, card("a", "copper"))
    library.delete(card_id("a"), at=day(4))
    assert ingest(library, card("a", "copper")).withdrawn == ("a",)
    assert not found(library, "copper")
    report = ingest(library, card("a", "copper again", available_at=day(6)))
    assert (report.withdrawn, report.revised) == ((), ("a",))
    assert found(library, "copper")


def test_only_changed_chunks_are_embedded_again(library: HybridLibrary, embedder: HashEmbedder) -> None:
    text = words("x", 10)
    ingest(library, card("a", text))
    embedder.document_texts.clear()
    report = ingest(library, card("a", text + " tail", available_at=day(2)))
    assert (report.chunks_written, report.embedded, report.reused) == (4, 1, 3)
    assert embedder.document_texts == ["a\n\nx9 tail"]


def test_bad_cards_are_skipped_with_their_reason_and_the_rest_goes_on(library: HybridLibrary) -> None:
    mapping = {"slug": "b", "text": "zinc", "provenance": {"source": "scout"}}
    report = ingest(library, card("a"), 7, card("a", "another"), mapping, {**mapping, "slug": "../c"}, card("d"))
    assert report.slugs == ("a", "b", "d")
    assert [one.place for one in report.skipped] == ["position 1", "a", "position 4"]
    for one, reason in zip(report.skipped, ("int is no KnowledgeCard", "given before", "slug"), strict=True):
        assert reason in one.reason
    assert library.get(card_id("a")).chunks == ("copper supply",)  # type: ignore[union-attr]


def test_a_text_of_unknown_availability_does_not_replace_a_known_one(
    library: HybridLibrary, embedder: HashEmbedder
) -> None:
    ingest(library, card("a", "copper", as_of=day(1)))
    calls = embedder.document_calls
    report = ingest(library, card("a", "zinc", available_at=None), card("b"))
    assert [one.place for one in report.skipped] == ["a"]
    assert "available_at" in report.skipped[0].reason
    assert report.slugs == ("b",)
    assert embedder.document_calls == calls + 1
    assert ingest(library, card("a", "copper", as_of=day(1), available_at=None)).unchanged == ("a",)


def test_availability_that_becomes_known_is_taken_over(library: HybridLibrary) -> None:
    ingest(library, card("a", available_at=None))
    assert not found(library, "copper", available_at_before=day(9))
    assert ingest(library, card("a")).corrected == ("a",)
    assert found(library, "copper", available_at_before=day(9))


def test_what_a_reader_left_out_is_in_the_report(library: HybridLibrary) -> None:
    first = CollectedCards((card("a"),), (SkippedCard("x.md", "unreadable"),), (UpcomingCard("u", "draft"),), ("note",))
    second = CollectedCards((card("b"),), (SkippedCard("y.md", "unreadable"),))
    report = ingest_sources(library, first + second)
    assert report.slugs == ("a", "b")
    assert [one.place for one in report.skipped] == ["x.md", "y.md"]
    assert (report.upcoming, report.notes) == ((UpcomingCard("u", "draft"),), ("note",))


def test_no_cards_are_no_work(library: HybridLibrary) -> None:
    assert ingest(library).slugs == ()
    assert library.stats().items == 0


@pytest.mark.parametrize(
    ("options", "field"),
    [({"words_per_chunk": 0}, "words_per_chunk"), ({"overlap": 4}, "overlap"), ({"embed_batch": 0}, "embed_batch")],
)
def test_sizes_are_checked_before_anything_is_written(
    library: HybridLibrary, options: dict[str, int], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        ingest(library, card("a"), **options)
    assert caught.value.field == field
    assert library.stats().items == 0


def test_other_sizes_cut_anew(library: HybridLibrary) -> None:
    ingest(library, card("a", words("x", 10)))
    report = ingest(library, card("a", words("x", 10)), words_per_chunk=5, overlap=0)
    assert (report.corrected, report.chunks_written) == (("a",), 2)
    stored = library.get(card_id("a"))
    assert isinstance(stored, MemoryCard)
    assert stored.chunks == ("x0 x1 x2 x3 x4", "x5 x6 x7 x8 x9")
    assert library.stats().records == 2


# --- vectors ----------------------------------------------------------------------------------------------------


def test_texts_go_to_the_model_in_batches(library: HybridLibrary, embedder: HashEmbedder) -> None:
    calls: list[int] = []
    original = embedder.embed_documents

    def counted(texts: list[str]) -> Any:
        calls.append(len(texts))
        return original(texts)

    embedder.embed_documents = counted  # type: ignore[method-assign, assignment]
    short = [card(f"s{number}", f"y{number}") for number in range(7)]
    ingest(library, card("long", words("x", 31)), *short, embed_batch=4)
    assert max(calls) == 4
    assert sum(calls) == 17
    assert len(calls) == 5  # 10 of the long card in 3, then 4 and 3 short ones


def test_progress_never_goes_back_and_ends_at_all(library: HybridLibrary) -> None:
    seen: list[tuple[int, int | None]] = []
    cards = [card("a", words("x", 31)), card("b", "y"), 7]
    ingest_sources(
        library, cards, words_per_chunk=4, overlap=1, embed_batch=4, progress=lambda *at: seen.append(at)  # type: ignore[arg-type, list-item]
    )
    assert seen == sorted(seen)
    assert seen[0] == (4, 11)
    assert seen[-1] == (11, 11)
    seen.clear()
    ingest_sources(library, iter(cards[:2]), progress=lambda *at: seen.append(at))  # type: ignore[arg-type]
    assert {total for _, total in seen} == {None}


def test_without_an_embedder_words_are_searchable_and_it_is_said(open_library: Opener) -> None:
    library = open_library(embedder=None)
    report = ingest(library, card("a"), card("b", "zinc"))
    assert (report.embedded, report.pending, report.slugs) == (0, 2, ("a", "b"))
    assert report.degraded is not None
    assert found(library, "zinc")


def test_a_run_with_a_model_makes_up_for_one_without(open_library: Opener, embedder: HashEmbedder) -> None:
    cards = [card("a", words("x", 9)), card("b", "zinc")]
    ingest(open_library(embedder=None), *cards)
    report = ingest(open_library(), *cards)
    assert (report.unchanged, report.embedded, report.pending) == (("a", "b"), 4, 0)
    assert ingest(open_library(), *cards).embedded == 0
    assert embedder.document_calls == 1


def test_a_model_that_fails_is_asked_once_and_words_go_in(library: HybridLibrary, embedder: HashEmbedder) -> None:
    embedder.fail_with = EmbedderUnavailable("no network")
    report = ingest(library, *(card(f"s{number}", words("x", 9)) for number in range(4)), embed_batch=2)
    assert len(report.slugs) == 4
    assert report.degraded is not None
    assert "no network" in report.degraded
    assert report.pending == 12
    assert embedder.document_calls == 1
    embedder.fail_with = None
    assert ingest(library, *(card(f"s{number}", words("x", 9)) for number in range(4))).embedded == 12
    assert library.stats().pending == 0


def test_required_vectors_stop_the_run_before_the_card(library: HybridLibrary, embedder: HashEmbedder) -> None:
    ingest(library, card("a", "copper"))
    embedder.fail_with = EmbedderUnavailable("no network")
    with pytest.raises(EmbedderError):
        ingest(library, card("a", "zinc", available_at=day(2)), require_embeddings=True)
    assert found(library, "copper")
    assert not found(library, "zinc")


class _Short(HashEmbedder):
    """Reads three words, and answers nonsense for texts about tin."""

    def is_truncated(self, text: str) -> bool:
        return len(text.split()) > 3

    def count_windows(self, text: str) -> int:
        return 2 if len(text.split()) > 2 else 1

    def _vector(self, text: str) -> Any:
        return super()._vector(text) * (float("nan") if "tin" in text else 1.0)


def test_texts_not_read_to_the_end_are_counted(open_library: Opener) -> None:
    report = ingest(open_library(embedder=_Short(8)), card("a", words("x", 5)), card("b", "x"))
    assert (report.split_texts, report.truncated_texts) == (2, 1)


def test_a_text_with_a_bad_vector_spoils_no_other(open_library: Opener) -> None:
    library = open_library(embedder=_Short(8))
    report = ingest(library, card("a", "copper"), card("b", "tin"))
    assert (report.slugs, report.embedded, report.pending) == (("a", "b"), 1, 1)
    assert [locator for locator, _ in report.failed_texts] == [str(chunk_locator("b", 0))]
    assert found(library, "tin")
    with pytest.raises(EmbedderError, match="tin|usable|NaN|finite"):
        ingest(library, card("c", "tin and more tin"), require_embeddings=True)
    with pytest.raises(NotFound):
        library.get(card_id("c"))


# --- interruptions ----------------------------------------------------------------------------------------------


class _Stops(HashEmbedder):
    """Ends the process, so to speak, after so many calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(16)
        self.left = calls

    def embed_documents(self, texts: Any) -> Any:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().embed_documents(texts)


def test_a_killed_run_goes_on_where_it_was(open_library: Opener, embedder: HashEmbedder) -> None:
    cards = [card("a", words("x", 9)), card("b", words("y", 31)), card("c", words("z", 9))]
    stops = _Stops(3)
    library = open_library(embedder=stops)
    with pytest.raises(KeyboardInterrupt):
        ingest(library, *cards, embed_batch=4)
    assert found(library, "x8")
    assert not found(library, "y1 z1")  # b is half embedded: nothing of it is seen
    done = len(stops.document_texts)
    report = ingest(open_library(), *cards, embed_batch=4)
    assert report.slugs == ("b", "c")
    assert len(embedder.document_texts) + done == 16
    assert not set(embedder.document_texts) & set(stops.document_texts)


def test_a_card_that_is_being_replaced_serves_until_its_vectors_are_there(open_library: Opener) -> None:
    ingest(open_library(), card("a", words("x", 31)))
    library = open_library(embedder=_Stops(2))
    with pytest.raises(KeyboardInterrupt):
        ingest(library, card("a", words("y", 31), available_at=day(2)), embed_batch=4)
    results = open_library().search("x1 y1", mode="semantic")
    assert (results.pending, results.degraded) == (0, None)
    assert all("x" in hit.matched_text for hit in results)


def test_one_ingest_at_a_time(library: HybridLibrary) -> None:
    with job_lock(library.path, "ingest", wait_seconds=0), pytest.raises(DatabaseBusy):
        ingest(library, card("a"), wait_seconds=0)
    assert ingest(library, card("a"), wait_seconds=0).slugs == ("a",)


def test_cards_are_read_as_they_are_needed(library: HybridLibrary) -> None:
    def endless() -> Iterator[KnowledgeCard]:
        for number in itertools.count():
            if number == 50:
                raise RuntimeError("the source ended")
            yield card(f"s{number}", f"word{number}")

    with pytest.raises(RuntimeError):
        ingest_sources(library, endless(), embed_batch=10)
    assert library.stats().items == 50 - 50 % 10


def test_a_library_that_is_read_only_is_told_so(tmp_path: Path, open_library: Opener) -> None:
    open_library()
    reader = HybridLibrary.open(tmp_path / "library.db", read_only=True, embedder=None)
    with reader, pytest.raises(DatabaseError, match="read"):
        ingest(reader, card("a"))


def test_another_space_is_filled_beside_the_one_that_serves(open_library: Opener) -> None:
    cards = [card("a", "copper"), card("b", "zinc")]
    ingest(open_library(), *cards)
    other = open_library(embedder=HashEmbedder(16, "other"))
    assert ingest(other, *cards, card("c", "tin")).embedded == 1
    assert [space.state for space in other.stats().spaces] == ["serving", "building"]


def test_what_still_waits_is_counted_exactly(open_library: Opener, embedder: HashEmbedder) -> None:
    ingest(open_library(), card("a", words("x", 9)))
    ingest(open_library(embedder=None), card("a", words("x", 9) + " and a tail", available_at=day(2)))
    report = ingest(open_library(embedder=None), card("a", words("x", 9) + " and a tail", available_at=day(2)))
    assert (report.unchanged, report.pending) == (("a",), open_library().stats().pending)
