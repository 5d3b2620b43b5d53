"""Whatever was stored, in whatever order, and whatever state the caches are in: the engine answers as the reference.

Locators, order and scores are compared to the last bit.
"""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hybridkb import HybridLibrary, SearchHit
from hybridkb.errors import HybridKBError
from hybridkb.fusion import Fusion
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.store.settings import LibrarySettings
from oracles import items
from oracles.items import day, item_id
from oracles.reference import Hit, ReferenceLibrary
from oracles.timeline import newest
from properties.worlds import (
    Delete,
    DeletePaper,
    MakeCurrent,
    Purge,
    PurgePaper,
    Put,
    PutPaper,
    Question,
    Step,
    Upkeep,
    questions,
    steps,
)
from support.fake_embedder import HashEmbedder

MODES = ("lexical", "semantic", "hybrid")
DIMENSIONS = 12
EXAMPLES = int(os.environ.get("HYBRIDKB_EXAMPLES", "150"))
"""More of them for a long run: ``HYBRIDKB_EXAMPLES=20000 pytest tests/properties``."""


class Pair:
    """One library and its reference, kept in step."""

    def __init__(self, path: Path, ranking: RankingSettings | None = None) -> None:
        self._path = path
        self._embedder = HashEmbedder(DIMENSIONS)
        self._settings = LibrarySettings(ranking=ranking or RankingSettings())
        self.reference = ReferenceLibrary(HashEmbedder(DIMENSIONS), settings=self._settings.ranking)
        self.library = self._open()
        self.take(Put(items.note("always there", "zebra")))

    def _open(self) -> HybridLibrary:
        settings = None if self._path.exists() else self._settings
        return HybridLibrary.open(self._path, embedder=self._embedder, settings=settings)

    def take(self, step: Step) -> None:
        if isinstance(step, Upkeep):
            self._keep_up(step)
        elif not self._withdraws_before_the_newest(step):
            self._embedder.fail_with = None if self.reference.embedder_answers else ConnectionError("down")
            assert outcome(lambda: write(self.library, step)) == outcome(lambda: write(self.reference, step)), step
            self._embedder.fail_with = None

    def _withdraws_before_the_newest(self, step: Step) -> bool:
        """Refused, or it would still be found without a cutoff; the conformance tests ask for that."""
        if not isinstance(step, Delete | DeletePaper):
            return False
        story = self.reference.timeline.stories.get(owner_of(step))
        if story is None:
            return False
        last = newest(story).available_at
        return last is not None and step.at < last

    def _keep_up(self, step: Upkeep) -> None:
        match step.kind:
            case "reopen":
                self.library.close()
                self.library = self._open()
            case "rebuild":
                self.library.rebuild()
            case "optimize":
                self.library.optimize()
            case "search":
                self.library.search("copper supply")
            case "embedder fails" | "embedder answers":
                self.reference.embedder_answers = step.kind == "embedder answers"
            case "embed pending":
                self.library.embed_pending()
                self.reference.embed_pending()

    def compare(self, question: Question) -> None:
        for mode in MODES:
            options = {
                "mode": mode, "top_k": question.top_k, "fusion": question.fusion, "collapse": question.collapse,
                "min_score": question.min_score, "match": question.match, **question.filters,
            }  # fmt: skip
            found = self.library.search(question.text, **options)
            expected = self.reference.search(question.text, **options)
            if found.mode != mode:
                assert found.degraded
                continue
            assert [seen(hit) for hit in found] == [wanted(hit) for hit in expected], f"{question.text!r} {options}"


def owner_of(step: Delete | DeletePaper | Purge | PurgePaper) -> UUID:
    match step:
        case DeletePaper():
            return step.source_id
        case PurgePaper():
            return step.owner
        case _:
            return item_id(step.name)


def write(library: Any, step: Step) -> None:
    match step:
        case Put():
            library.put(step.item)
        case PutPaper():
            library.put_paper(step.result, require_embeddings=False)
        case Delete() | DeletePaper():
            library.delete(owner_of(step), at=step.at)
        case MakeCurrent():
            library.make_current(step.artifact_id)
        case Purge() | PurgePaper():
            library.purge(owner_of(step))


def outcome(work: Any) -> str | None:
    """The class of the error a write is refused with."""
    try:
        work()
    except HybridKBError as error:
        return type(error).__name__
    return None


def seen(hit: SearchHit) -> tuple[Any, ...]:
    shares = (hit.explanation.lexical, hit.explanation.semantic)
    legs = tuple(None if share is None else (share.rank, share.score.hex()) for share in shares)
    fed = tuple((one.stem, one.weight.hex(), one.holding) for one in hit.explanation.feedback if shares[0])
    return str(hit.locator), hit.score.hex(), legs, hit.relevance.hex(), hit.explanation.guarded, fed


def wanted(hit: Hit) -> tuple[Any, ...]:
    shares = (hit.lexical, hit.semantic)
    legs = tuple(None if share is None else (share.rank, float(share.score).hex()) for share in shares)
    fed = tuple((one.stem, one.weight.hex(), one.holding) for one in hit.fed)
    return hit.locator, float(hit.score).hex(), legs, float(hit.relevance).hex(), hit.guarded, fed


RANKINGS = (
    RankingSettings(),
    RankingSettings(feedback="always", feedback_weight=2.0),
    RankingSettings(feedback="never", title_weight=0.5),
)
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


@settings(max_examples=EXAMPLES, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(steps, st.lists(questions, min_size=1, max_size=4), st.sampled_from(RANKINGS))
def test_engine_equals_reference(what_befell: list[Step], asked: list[Question], ranking: RankingSettings) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(Path(folder) / "library.db", ranking)
        try:
            for step in what_befell:
                pair.take(step)
            for question in asked:
                pair.compare(question)
            assert pair.library.check().ok
        finally:
            pair.library.close()


@settings(max_examples=max(20, EXAMPLES // 6), deadline=None, suppress_health_check=list(HealthCheck))
@given(steps, st.lists(questions, min_size=1, max_size=3))
def test_an_export_restores_every_answer(what_befell: list[Step], asked: list[Question]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(Path(folder) / "library.db")
        try:
            for step in what_befell:
                pair.take(step)
            lines = list(pair.library.export())
            with HybridLibrary.open(Path(folder) / "restored.db", embedder=HashEmbedder(DIMENSIONS)) as restored:
                restored.import_lines(lines)
                assert sorted(restored.export()) == sorted(lines)
                assert restored.check().ok
                pair.library.close()
                pair.library = restored
                pair.reference.embed_pending()
                for question in asked:
                    pair.compare(question)
        finally:
            pair.library.close()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet='ab"-*() ORcopper.,$%&/:', max_size=40))
def test_no_text_is_an_error(text: str) -> None:
    for mode in MODES:
        library_of_three().search(text, mode=mode)


_shared: list[HybridLibrary] = []


def library_of_three() -> HybridLibrary:
    if not _shared:
        folder = Path(tempfile.mkdtemp())
        library = HybridLibrary.open(folder / "library.db", embedder=HashEmbedder(DIMENSIONS))
        library.put_many([items.note(1, "copper a.b"), items.note(2, "OR -x", "q*"), items.note(3, "用户 3.5%")])
        _shared.append(library)
    return _shared[0]


LARGER = (
    "copper",
    "supply",
    "of",
    "the",
    "wheat",
    "prices",
    "BRK.B",
    "10-K",
    "rising",
    "long-term",
    "用户",
    "mine",
    "mines",
)
LARGER_QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("copper supply", {}),
    ("the supply of copper mines", {}),
    ("BRK.B 10-K prices", {"available_at_before": day(6)}),
    ('"copper supply" rising -wheat', {}),
    ("mine* cop* long-term", {"available_at_before": day(8), "item_types": ["note"]}),
    ("用户 prices", {"tags": ["even"]}),
)


@pytest.mark.parametrize("seed", [1, 2])
def test_legs_and_windows_are_cut_as_the_reference_cuts_them(seed: int, tmp_path: Path) -> None:
    """Libraries larger than a leg and than the closeness window, with many ties."""
    source = random.Random(seed)
    pair = Pair(tmp_path / "library.db")
    for name in range(450):
        body = " ".join(source.choices(LARGER, k=source.choice([2, 2, 3, 15])))
        title = source.choice(["", "", "copper supply", "mines"])
        tags = ("even",) if name % 2 == 0 else ()
        pair.take(Put(items.note(name, body, title, day(source.randint(0, 9)), tags=tags)))
        if name in (150, 400):
            pair.take(Upkeep("optimize"))
    for number, (text, filters) in enumerate(LARGER_QUESTIONS):
        for top_k in (10, 300):
            fusion = Fusion(method="convex") if number % 2 else Fusion()
            pair.compare(Question(text, top_k, fusion, (None, "item")[number % 2], None, "any", filters))
    pair.library.close()


TOPICS = tuple(f"zub{letter}ok" for letter in "abcdefghijklmnopqrstuvwxyz")
OPEN_QUESTIONS = (
    "ore smelting wages", "grain barges upriver", "wages upriver", "ore", "upriver nowhere", "ore 3 wages"
)  # fmt: skip


@pytest.mark.parametrize("feedback", ["alone", "always"])
def test_words_of_the_best_candidates_are_those_of_the_reference(feedback: Any, tmp_path: Path) -> None:
    """A library in which words go together, so that feedback has something to find."""
    source = random.Random(9)
    pair = Pair(tmp_path / "library.db", RankingSettings(feedback=feedback))
    for name in range(160):
        topic = source.randrange(len(TOPICS))
        words = [TOPICS[topic], TOPICS[(topic + 1) % len(TOPICS)], source.choice(["ore", "grain", "wages", "copper"])]
        body = " ".join(words + source.choices(LARGER, k=source.choice([1, 3, 8])))
        if name % 40 == 7:
            body += " upriver"
        pair.take(Put(items.note(name, body, source.choice(["", TOPICS[topic]]), day(source.randint(0, 9)))))
        if name == 90:
            pair.take(Upkeep("optimize"))
    used = 0
    for number, text in enumerate(OPEN_QUESTIONS):
        for cutoff in (None, day(5)):
            filters = {} if cutoff is None else {"available_at_before": cutoff}
            top_k, collapse = ((10, None), (250, "item"))[number % 2]
            pair.compare(Question(text, top_k, Fusion(), collapse, None, "any", filters))
            mode = "lexical" if feedback == "alone" else "hybrid"
            used += pair.library.search(text, mode=mode, **filters).feedback is not None
    assert used >= 4
    pair.library.close()
