"""Property: a snapshot says that it changed whenever an answer at its instant did, and never for what comes later."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput, NotFound
from hybridkb.snapshot import Snapshot
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder

T, NOW = day(10), day(30)
NAMES = range(4)
WORDS = ("copper", "copper supply", "zinc copper mines", "tin")


@dataclass(frozen=True)
class Step:
    """One thing that happens; ``when`` is a day, or None for unknown availability."""

    act: str
    name: int
    word: int
    when: int | None


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["put"] * 8 + ["tree", "delete", "delete", "purge", "embed", "fail", "optimize", "rebuild"]),
        st.sampled_from(NAMES),
        st.integers(0, len(WORDS) - 1),
        st.sampled_from([None, 1, 5, 9, 10, 11, 15, 20, 29, 31]),
    ),
    min_size=1,
    max_size=14,
)


class World:
    """A library and the embedder that may be down."""

    def __init__(self, library: HybridLibrary, embedder: HashEmbedder) -> None:
        self.library = library
        self.embedder = embedder

    def take(self, step: Step) -> None:
        """Carry a step out; one that cannot be is none."""
        with contextlib.suppress(NotFound, InvalidInput):
            getattr(self, step.act)(step)

    def put(self, step: Step) -> None:
        self.library.put(note(step.name, WORDS[step.word], available_at=moment(step.when), tags=(f"t{step.word}",)))

    def tree(self, step: Step) -> None:
        nodes = {f"n{number}": WORDS[number] for number in range(step.word + 1)}
        self.library.put(filing(f"tree {step.name}", nodes, available_at=moment(step.when)))

    def delete(self, step: Step) -> None:
        self.library.delete(item_id(step.name), at=moment(step.when))

    def purge(self, step: Step) -> None:
        self.library.purge(item_id(step.name))

    def embed(self, step: Step) -> None:
        self.embedder.fail_with = None
        self.library.embed_pending()

    def fail(self, step: Step) -> None:
        self.embedder.fail_with = OSError("down")

    def optimize(self, step: Step) -> None:
        self.library.optimize()

    def rebuild(self, step: Step) -> None:
        self.library.rebuild()


def moment(when: int | None) -> datetime | None:
    return None if when is None else day(when)


def answers(world: World, snapshot: Snapshot) -> Any:
    """Everything that can be asked of a snapshot, the embedder being well; without what names rows and recordings."""
    ill, world.embedder.fail_with = world.embedder.fail_with, None
    try:
        return [
            *(bare(snapshot, word, mode) for word in WORDS for mode in ("lexical", "hybrid")),
            *(told(ask, item_id(name)) for name in NAMES for ask in (snapshot.get, snapshot.history)),
            replace(snapshot.stats(), revisions=0),
        ]
    finally:
        world.embedder.fail_with = ill


def bare(snapshot: Snapshot, word: str, mode: str) -> Any:
    results = snapshot.search(word, mode=mode, top_k=50)
    return results.mode, results.pending, [replace(hit, revision=0, recorded_at=T) for hit in results]


def told(ask: Callable[[UUID], Any], name: UUID) -> Any:
    try:
        found = ask(name)
    except NotFound as error:
        return str(error)
    return [replace(one, recorded_at=T) for one in found] if isinstance(found, list) else found


def run(first: list[Step], then: list[Step], judge: Callable[[World, Snapshot, Any, Step], None]) -> None:
    with TemporaryDirectory() as folder:
        embedder = HashEmbedder(8)
        with HybridLibrary.open(Path(folder) / "world.db", embedder=embedder, clock=lambda: NOW) as library:
            world = World(library, embedder)
            for step in first:
                world.take(step)
            for step in then:
                snapshot = library.snapshot(at=T)
                before = answers(world, snapshot)
                world.take(step)
                judge(world, snapshot, before, step)
            embedder.fail_with = None
            report = library.check()
            assert report.ok, report.findings


@settings(max_examples=60)
@given(steps, steps)
def test_a_changed_answer_is_said(first: list[Step], then: list[Step]) -> None:
    def judge(world: World, snapshot: Snapshot, before: Any, step: Step) -> None:
        if answers(world, snapshot) != before:
            assert snapshot.changed, step

    run(first, then, judge)


def is_later(step: Step) -> bool:
    """Whether a step concerns nothing up to T, whatever the library holds."""
    if step.act in ("put", "tree"):
        return step.when is not None and step.when > 10
    return step.act in ("fail", "optimize", "rebuild") or (step.act == "delete" and (step.when or 30) > 10)


@settings(max_examples=60)
@given(steps, steps)
def test_what_comes_later_is_not(first: list[Step], then: list[Step]) -> None:
    def judge(world: World, snapshot: Snapshot, before: Any, step: Step) -> None:
        assert answers(world, snapshot) == before, step
        assert not snapshot.changed, step

    run([Step("put", 9, 0, 1), *first, Step("embed", 0, 0, None)], [step for step in then if is_later(step)], judge)
