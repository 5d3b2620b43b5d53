"""A candidate is built beside what serves, can be killed and gone on with, and takes over whole or not at all."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.embedders import EmbeddingSpace
from hybridkb.errors import BrokenInvariant, DatabaseBusy, HybridKBError, InvalidGoldSet, InvalidInput, PromotionRefused
from hybridkb.evaluation import (
    PromotionReport,
    ReindexReport,
    discard_candidate,
    find_candidate,
    list_runs,
    promote,
    reindex,
)
from hybridkb.fusion import Fusion
from hybridkb.lexical.ranking import RankingSettings
from oracles.items import item_id, note
from support.candidates import beside, candidate_address
from support.fake_embedder import HashEmbedder
from support.judged_library import BETTER, BY_RANK, FAIR, WORSE, evaluate, fill, gold, records
from support.raw_rows import job_lock

CONVEX = Fusion("convex", alpha=0.1)


@pytest.fixture
def library(open_library: Any) -> HybridLibrary:
    """A library that serves a fair model, with a baseline."""
    library = fill(open_library(embedder=FAIR, settings=BY_RANK))
    evaluate(library, k=3)
    promote(library, baseline=True)
    return library


def build(library: HybridLibrary, **arguments: Any) -> ReindexReport:
    return reindex(library, **{"gold": gold(), "k": 3, "depth": 20, "resamples": 200, **arguments})


def answers(library: HybridLibrary) -> list[Any]:
    found = [library.search(record["query"], top_k=5) for record in records(10)]
    return [(one.fingerprint, one.mode, [(str(hit.locator), hit.score) for hit in one]) for one in found]


def serving(library: HybridLibrary) -> str:
    return next(space.model for space in library.stats().spaces if space.state == "serving")


@pytest.mark.both_engines
def test_what_serves_is_untouched_until_the_promotion(library: HybridLibrary) -> None:
    before, generation = answers(library), library.stats().generation
    report = build(library, embedder=BETTER, language="german", fusion=CONVEX, ranking=RankingSettings(k1=0.9))
    assert report.candidate == candidate_address(library)
    assert (answers(library), library.stats().generation) == (before, generation)
    with HybridLibrary.open(report.candidate, embedder=BETTER) as candidate:
        assert (candidate.settings.language, candidate.settings.fusion) == ("german", CONVEX)
        assert serving(candidate) == "better"
        assert candidate.check().ok


def test_a_worse_model_is_refused_and_the_old_one_serves_on(library: HybridLibrary) -> None:
    before = answers(library)
    report = build(library, embedder=WORSE)
    assert report.promote is False
    assert report.evaluation.lost
    assert report.evaluation.target == "candidate"
    with pytest.raises(PromotionRefused, match="recall@3 fell"):
        promote(library)
    assert answers(library) == before
    assert serving(library) == "fair"
    assert find_candidate(library.path) is not None
    assert discard_candidate(library.path)
    assert find_candidate(library.path) is None


def test_a_better_model_takes_over_with_all_its_vectors(library: HybridLibrary) -> None:
    report = build(library, embedder=BETTER)
    assert (report.promote, report.embedded, report.pending) == (True, 80, 0)
    with HybridLibrary.open(report.candidate, embedder=BETTER) as candidate:
        expected = answers(candidate)
    done = promote(library)
    assert (done.promoted, done.vectors, done.pending) == (True, 80, 0)
    assert find_candidate(library.path) is None
    with HybridLibrary.open(library.path, embedder=BETTER) as reader:
        assert answers(reader) == expected
        assert evaluate(reader, k=3).promote is True
    assert {space.model: space.state for space in library.stats().spaces} == {"fair": "retired", "better": "serving"}


@pytest.mark.parametrize(
    "change",
    [
        {"fusion": CONVEX}, {"ranking": RankingSettings(k1=0.9, title_weight=3.0)}, {"language": "none"}, {},
        {"fusion": CONVEX, "embedder": BETTER, "language": "none"},
    ],
)  # fmt: skip
def test_every_kind_of_change_is_promoted_as_it_was_evaluated(library: HybridLibrary, change: dict[str, Any]) -> None:
    report = build(library, **change, tolerance=1.0)
    assert report.records == (80 if "language" in change or not change else 0)
    embedder = change.get("embedder", FAIR)
    with HybridLibrary.open(report.candidate, embedder=embedder) as candidate:
        expected = answers(candidate)
    promote(library)
    with HybridLibrary.open(library.path, embedder=embedder) as reader:
        assert answers(reader) == expected


def test_the_audit_lists_what_was_promoted(library: HybridLibrary) -> None:
    build(library, fusion=CONVEX)
    run = promote(library).run
    report = library.audit(since=library.history(item_id(1))[0].recorded_at)
    assert f"promoted by run {run}" in str(report.to_dict())


@pytest.mark.both_engines
def test_knowledge_that_arrived_since_stays_and_gets_its_vectors(library: HybridLibrary) -> None:
    build(library, embedder=BETTER, language="none")
    library.put_many([note("new", "word1 brand new"), note(3, "word2 corrected")])
    library.delete(item_id(5))
    done = promote(library, embedder=BETTER)
    assert (done.embedded, done.pending) == (2, 0)
    with HybridLibrary.open(library.path, embedder=BETTER) as reader:
        assert reader.search("word1 brand new", mode="semantic")[0].item_id == item_id("new")
        assert reader.search("word2 corrected", mode="lexical")[0].item_id == item_id(3)
        assert all(hit.item_id != item_id(5) for hit in reader.search("word1 word2 word3", top_k=100))


def test_without_the_model_at_hand_new_texts_wait_and_it_says_so(library: HybridLibrary) -> None:
    build(library, embedder=BETTER)
    library.put(note("new", "word1 brand new"))
    done = promote(library)
    assert (done.embedded, done.pending) == (0, 1)
    assert any("not embedded" in one for one in done.notes)
    assert any("1 texts have no vector yet" in one for one in done.notes)
    with HybridLibrary.open(library.path, embedder=BETTER) as reader:
        assert reader.search("brand new").pending == 1
        assert reader.embed_pending().embedded == 1


def test_another_embedder_than_the_candidate_s_is_refused(library: HybridLibrary) -> None:
    build(library, embedder=BETTER)
    library.put(note("new", "word1 brand new"))
    with pytest.raises(InvalidInput, match="not that of the candidate"):
        promote(library, embedder=WORSE)
    assert serving(library) == "fair"


def test_a_candidate_that_says_nothing_of_the_library_any_more_is_refused(library: HybridLibrary) -> None:
    build(library, embedder=BETTER)
    library.change_settings(fusion=CONVEX, why="by hand")
    with pytest.raises(PromotionRefused, match="changed its settings"):
        promote(library)
    build(library, embedder=BETTER)
    with HybridLibrary.open(library.path, embedder=WORSE) as other:
        other.embed_pending()
    with pytest.raises(PromotionRefused, match="embedding space that serves"):
        promote(library)


def test_a_candidate_that_was_changed_by_hand_is_not_what_was_evaluated(library: HybridLibrary) -> None:
    report = build(library, embedder=BETTER)
    with HybridLibrary.open(report.candidate, embedder=BETTER) as candidate:
        candidate.put(note("smuggled", "word1"))
    with pytest.raises(PromotionRefused, match=f"not what run {report.evaluation.run} evaluated"):
        promote(library)


def test_the_gold_set_is_checked_before_anything_is_built(library: HybridLibrary) -> None:
    runs = len(list_runs(library))
    with pytest.raises(InvalidGoldSet):
        build(library, embedder=BETTER, gold=[{"query": "x", "relevant": [str(item_id("never"))]}])
    with pytest.raises(InvalidInput, match="klingon"):
        build(library, language="klingon")
    assert find_candidate(library.path) is None
    assert len(list_runs(library)) == runs


def test_another_candidate_is_not_thrown_away_unasked(library: HybridLibrary) -> None:
    build(library, embedder=WORSE)
    with pytest.raises(InvalidInput, match="holds another candidate"):
        build(library, fusion=CONVEX)
    assert build(library, fusion=CONVEX, restart=True).changes == "fusion convex, alpha 0.1"


class Stops(Exception):
    """What a killed process looks like to those who did not see it coming."""


def stop_at(stage: str, least: int) -> Any:
    def progress(at: str, done: int, total: int | None) -> None:
        if at == stage and done >= least:
            raise Stops

    return progress


def test_an_interrupted_reindex_goes_on_where_it_was(library: HybridLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.ingest.catch_up.STEP_TEXTS", 16)
    embedder = HashEmbedder(64, "long")
    with pytest.raises(Stops):
        build(library, embedder=embedder, progress=stop_at("embedding", 32))
    asked = len(embedder.document_texts)
    report = build(library, embedder=embedder)
    assert (report.resumed, report.embedded) == (True, 80 - asked)
    assert len(embedder.document_texts) == 80
    unfinished = [run.number for run in list_runs(library, kind="reindex") if run.finished_at is None]
    assert len(unfinished) == 1


def test_a_library_of_words_gains_a_model(open_library: Any) -> None:
    words = fill(open_library("words.db", embedder=None))
    evaluate(words, k=3)
    promote(words, baseline=True)
    report = build(words, embedder=BETTER)
    assert (report.embedded, report.evaluation.gate.mode, report.promote) == (80, "lexical", True)
    assert report.evaluation.modes == ("lexical", "semantic", "hybrid")
    assert promote(words).vectors == 80
    with HybridLibrary.open(words.path, embedder=BETTER) as reader:
        assert reader.search(records()[0]["query"]).mode == "hybrid"


def test_going_back_to_a_model_embeds_nothing(library: HybridLibrary) -> None:
    build(library, embedder=BETTER)
    promote(library)
    fair = HashEmbedder(16, "fair")
    with HybridLibrary.open(library.path, embedder=fair) as back:
        report = build(back, embedder=fair, tolerance=1.0)
        assert (report.changes, report.embedded) == (str(FAIR.space), 0)
        promote(back)
        assert serving(back) == "fair"
        assert fair.document_texts == []
        assert back.search(records()[0]["query"]).mode == "hybrid"


def test_vectors_outlive_a_library_that_moved_on(library: HybridLibrary) -> None:
    embedder = HashEmbedder(64, "long")
    build(library, embedder=embedder)
    library.put(note("new", "word1 brand new"))
    report = build(library, embedder=embedder)
    assert (report.resumed, report.embedded) == (False, 1)
    assert len(embedder.document_texts) == 81


@pytest.mark.parametrize("stage", ["copying", "rebuilding", "evaluating"])
def test_stopping_anywhere_leaves_nothing_half_made(library: HybridLibrary, stage: str) -> None:
    before = answers(library)
    with pytest.raises(Stops):
        build(library, language="none", progress=stop_at(stage, 1))
    assert answers(library) == before
    if stage == "copying":
        assert find_candidate(library.path) is None
    assert build(library, language="none", tolerance=1.0).promote is True
    promote(library)
    assert library.settings.language == "none"
    assert not beside(library)


def test_a_promotion_that_ends_early_leaves_what_served(
    library: HybridLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(library)
    build(library, embedder=BETTER, language="none")

    def fail(*_: object) -> None:
        raise Stops

    monkeypatch.setattr("hybridkb.evaluation.promotion.note_taken_over", fail)
    with pytest.raises(Stops):
        promote(library)
    assert answers(library) == before
    assert list_runs(library, promoted=True)[0].target == "serving"
    monkeypatch.undo()
    assert promote(library, embedder=BETTER).promoted


def test_what_is_left_of_a_candidate_that_took_over_is_tidied_up(
    library: HybridLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(library, fusion=CONVEX)
    monkeypatch.setattr("hybridkb.evaluation.promotion.remove_candidate", lambda _: False)
    promote(library)
    assert find_candidate(library.path) is not None
    monkeypatch.undo()
    report = build(library, language="none", tolerance=1.0)
    assert report.changes == "language none"
    monkeypatch.setattr("hybridkb.evaluation.promotion.remove_candidate", lambda _: False)
    promote(library)
    monkeypatch.undo()
    with pytest.raises(PromotionRefused):
        promote(library, run=report.evaluation.run)
    assert find_candidate(library.path) is None


@pytest.mark.both_engines
def test_one_job_at_a_time(library: HybridLibrary) -> None:
    with job_lock(library.path, "reindex", wait_seconds=0):
        for job in (lambda: build(library, fusion=CONVEX), lambda: promote(library)):
            with pytest.raises(DatabaseBusy):
                job()
    inside = threading.Event()
    outcome: list[BaseException] = []

    def other(stage: str, done: int, total: int | None) -> None:
        if not inside.is_set():
            inside.set()
            try:
                build(library, fusion=CONVEX)
            except HybridKBError as error:
                outcome.append(error)

    build(library, fusion=CONVEX, progress=other)
    assert isinstance(outcome[0], DatabaseBusy)


def test_a_killed_process_is_gone_on_with(library: HybridLibrary, tmp_path: Path) -> None:
    program = (
        "import os, sys; sys.path.insert(0, sys.argv[2])\n"
        "import hybridkb.ingest.catch_up as catch_up; catch_up.STEP_TEXTS = 8\n"
        "from hybridkb import HybridLibrary\n"
        "from hybridkb.evaluation import reindex\n"
        "from support.judged_library import BETTER, FAIR, gold\n"
        "def stop(stage, done, total):\n"
        "    if stage == 'embedding' and done >= 40: os._exit(9)\n"
        "with HybridLibrary.open(sys.argv[1], embedder=FAIR) as library:\n"
        "    reindex(library, embedder=BETTER, gold=gold(), k=3, depth=20, progress=stop)\n"
    )
    tests = str(Path(__file__).parents[1])
    killed = subprocess.run([sys.executable, "-c", program, library.path, tests], check=False, timeout=120)
    assert killed.returncode == 9
    report = build(library, embedder=BETTER)
    assert report.resumed
    assert 0 < report.embedded <= 48
    assert promote(library, embedder=BETTER).promoted


def test_a_model_that_fails_texts_serves_and_names_them(library: HybridLibrary) -> None:
    class Picky(HashEmbedder):
        def _vector(self, text: str) -> Any:
            return super()._vector(text) * (float("nan") if "word11 " in text else 1.0)

    report = build(library, embedder=Picky(256, "picky"), tolerance=1.0)
    assert 0 < len(report.failed) == report.pending < 80
    done = promote(library)
    assert done.pending == len(report.failed)
    (space,) = [one for one in library.stats().spaces if one.state == "serving"]
    assert (space.model, space.failed) == ("picky", len(report.failed))


def test_a_model_that_fails_altogether_changes_nothing(library: HybridLibrary) -> None:
    broken = HashEmbedder(8, "broken")
    broken.fail_with = RuntimeError("no weights")
    before = answers(library)
    with pytest.raises(HybridKBError, match="no weights"):
        build(library, embedder=broken)
    assert answers(library) == before
    broken.fail_with = None
    assert build(library, embedder=broken).resumed


def test_every_reindex_is_a_row(library: HybridLibrary) -> None:
    report = build(library, embedder=BETTER, note="monday")
    (row,) = list_runs(library, kind="reindex")
    assert (row.number, row.target, row.embedded, row.records) == (report.run, "candidate", 80, 80)
    assert row.note == f"{BETTER.space}; monday"
    assert row.space == str(BETTER.space)
    assert row.finished_at is not None
    evaluated = list_runs(library, number=report.evaluation.run)[0]
    assert (evaluated.kind, evaluated.target, evaluated.promote) == ("evaluate", "candidate", True)
    assert report.as_dict()["promote"] is True


def test_a_file_that_is_no_candidate_is_not_taken_for_one(library: HybridLibrary) -> None:
    HybridLibrary.open(candidate_address(library), embedder=None).close()
    with pytest.raises(BrokenInvariant, match="no candidate"):
        promote(library)


def test_a_library_put_back_from_an_older_copy_is_noticed(library: HybridLibrary) -> None:
    build(library, embedder=BETTER)
    candidate = find_candidate(library.path)
    assert candidate is not None
    from hybridkb.evaluation.index_state import index_state

    assert replace(candidate, generation=candidate.generation + 5).outdated(index_state(library)) == [
        "all of it: the library is older than the candidate"
    ]


def test_promotion_reports_hold_json(library: HybridLibrary) -> None:
    import json

    build(library, fusion=CONVEX)
    report = promote(library)
    assert isinstance(report, PromotionReport)
    assert json.loads(json.dumps(report.as_dict()))["promoted"] is True


def test_a_candidate_keeps_the_library_s_own_embedder_for_its_queries(library: HybridLibrary) -> None:
    report = build(library, fusion=CONVEX)
    assert report.evaluation.modes == ("lexical", "semantic", "hybrid")
    assert EmbeddingSpace("fair", 16, "1") == FAIR.space


@pytest.mark.sqlite_only("about the permissions of the file")
def test_a_copy_may_be_read_by_nobody_who_may_not_read_the_library(library: HybridLibrary) -> None:
    Path(library.path).chmod(0o600)
    candidate = build(library, fusion=CONVEX).candidate
    assert Path(candidate).stat().st_mode & 0o777 == 0o600


def test_a_reindex_that_is_refused_leaves_no_unfinished_row(library: HybridLibrary) -> None:
    build(library, embedder=WORSE)
    rows = len(list_runs(library))
    with pytest.raises(InvalidInput, match="holds another candidate"):
        build(library, fusion=CONVEX)
    assert len(list_runs(library)) == rows


def test_a_copy_that_fails_takes_no_room(library: HybridLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Stops):
        build(library, fusion=CONVEX, progress=stop_at("copying", 1))
    assert not beside(library)
    build(library, embedder=BETTER)
    library.put(note("new", "word1 brand new"))
    monkeypatch.setattr("hybridkb.evaluation.build.vectors_of", lambda *_: (_ for _ in ()).throw(Stops))
    with pytest.raises(Stops):
        build(library, embedder=BETTER)
    assert not [name for name in beside(library) if "partial" in name or "replaced" in name]
    assert find_candidate(library.path) is not None


def test_a_candidate_is_not_thrown_away_while_somebody_works_on_it(library: HybridLibrary) -> None:
    build(library, fusion=CONVEX)
    with job_lock(library.path, "reindex", wait_seconds=0), pytest.raises(DatabaseBusy):
        discard_candidate(library.path)
    assert find_candidate(library.path) is not None
    assert discard_candidate(library.path)
