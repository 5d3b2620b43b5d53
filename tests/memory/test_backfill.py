"""Back-filled provenance: every state gets its card, once, and nothing else changes."""

from __future__ import annotations

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import KnowledgeItem, Provenance
from hybridkb.knowledge.card import card_id
from hybridkb.memory import KnowledgeCard, coverage_report, ingest_sources
from hybridkb.memory.backfill import backfill_provenance
from oracles.items import day, filing, item_id, news, note
from support.fake_embedder import HashEmbedder

CARD = Provenance("scout", "memo")


def test_every_state_gets_its_card_once(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put(note("a", "copper", available_at=day(1)))
    library.put(note("a", "copper again", available_at=day(5)))
    library.put_many([filing("b", ["tin"], available_at=None), note("c", "zinc", provenance=Provenance("article"))])
    calls = embedder.document_calls
    report = backfill_provenance(library, CARD)
    assert (report.items, report.revisions, report.left, report.skipped) == (2, 3, 0, ())
    assert embedder.document_calls == calls
    for cutoff in (day(2), day(6)):
        assert library.search("copper", sources=["scout"], available_at_before=cutoff)
    assert library.search("tin", kinds=["memo"])
    assert library.get(item_id("c")).provenance == Provenance("article")
    generation = library.stats().generation
    assert backfill_provenance(library, CARD).revisions == 0
    assert library.stats().generation == generation


def test_a_type_is_one_name_or_several_and_a_mistyped_one_is_refused(library: HybridLibrary) -> None:
    library.put_many([note("a", "copper"), news("b", "tin")])
    with pytest.raises(InvalidInput, match="did you mean 'note'"):
        backfill_provenance(library, CARD, item_types=["news", "nots"])
    assert backfill_provenance(library, CARD, item_types="note").items == 1
    assert backfill_provenance(library, CARD, item_types=["news"]).items == 1


def test_nothing_else_is_changed(library: HybridLibrary) -> None:
    library.put(note("a", "copper", title="T", available_at=day(1), tags=("x",)))
    before = library.get(item_id("a"))
    backfill_provenance(library, CARD)
    assert library.get(item_id("a")) == before.model_copy(update={"provenance": CARD})
    assert len(library.history(item_id("a"))) == 1


def test_withdrawn_items_stay_withdrawn(library: HybridLibrary) -> None:
    library.put(note("a", "copper", available_at=day(1)))
    library.delete(item_id("a"), at=day(3))
    assert backfill_provenance(library, CARD).revisions == 1
    assert not library.search("copper")
    assert library.search("copper", available_at_before=day(2), sources=["scout"])


def test_the_audit_says_that_the_past_was_edited(library: HybridLibrary) -> None:
    library.put(note("a", "copper", available_at=day(1)))
    backfill_provenance(library, CARD)
    assert "edit_of_the_past" in {finding.kind for finding in library.audit().findings}


def test_a_function_may_choose_or_leave(library: HybridLibrary) -> None:
    library.put_many([note("a", "copper"), news("b", "tin")])

    def choose(item: KnowledgeItem) -> Provenance | None:
        return CARD if item.item_type == "note" else None

    report = backfill_provenance(library, choose)
    assert (report.items, report.left) == (1, 1)
    assert library.get(item_id("b")).provenance is None


def test_types_narrow_it_and_a_dry_run_writes_nothing(library: HybridLibrary) -> None:
    library.put_many([note("a", "copper"), news("b", "tin")])
    assert backfill_provenance(library, CARD, dry_run=True).revisions == 2
    assert library.get(item_id("a")).provenance is None
    assert backfill_provenance(library, CARD, item_types=["news"]).items == 1
    assert library.get(item_id("a")).provenance is None


def test_progress_counts_states(library: HybridLibrary) -> None:
    library.put_many([note(number, f"word{number}") for number in range(450)])
    seen: list[int] = []
    backfill_provenance(library, CARD, progress=lambda done, _: seen.append(done))
    assert seen == [200, 400, 450]


def test_what_is_no_card_is_refused(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput):
        backfill_provenance(library, "article")  # type: ignore[arg-type]


def test_a_card_put_without_provenance_gets_it_with_the_next_ingest(library: HybridLibrary) -> None:
    card = KnowledgeCard("a", "copper", Provenance("article"), available_at=day(1))
    ingest_sources(library, [card])
    library.put(library.get(card_id("a")).model_copy(update={"provenance": None}))
    assert coverage_report(["a"], library).without_provenance == ("a",)
    report = ingest_sources(library, [card])
    assert (report.corrected, report.embedded, report.reused) == (("a",), 0, 1)
    assert coverage_report(["a"], library).without_provenance == ()
    assert ingest_sources(library, [card]).unchanged == ("a",)
