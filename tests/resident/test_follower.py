"""What a follower keeps in memory equals what is loaded afresh, whatever happened to the file and in what order."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import NotFound
from hybridkb.ingest import catch_up, pipeline
from hybridkb.resident import Follower, Resident
from hybridkb.resident import follower as follower_module
from hybridkb.resident.columns import GONE, NEVER, Columns, GrowingColumns
from hybridkb.resident.follower import ReaderBehind
from hybridkb.resident.packed import repack
from hybridkb.resident.vectors import VectorColumns
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder


def seen_by(library: HybridLibrary, follower: Follower) -> Resident:
    with library._database.read() as connection:
        return follower.resident(connection)


def living_postings(state: Resident) -> dict[int, list[tuple[int, int, int]]]:
    """The tail by term, without the records that are gone."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    for block in state.tail.blocks:
        for row in zip(
            block.terms.tolist(), block.records.tolist(), block.body.tolist(), block.title.tolist(), strict=True
        ):
            if state.columns.visible_until[row[1]] != GONE:
                found.setdefault(row[0], []).append(row[1:])
    return {term: sorted(rows) for term, rows in found.items()}


def assert_same(one: Resident, other: Resident) -> None:
    assert (one.generation, one.packing) == (other.generation, other.packing)
    size = min(one.columns.size, other.columns.size)
    for longer in (one, other):  # an id behind the last living record may be known as gone
        assert (longer.columns.visible_until[size:] == GONE).all()
    living = one.columns.visible_until[:size] != GONE
    assert (living == (other.columns.visible_until[:size] != GONE)).all()
    for mine, fresh in zip(one.columns.arrays(), other.columns.arrays(), strict=True):
        assert mine.dtype == fresh.dtype
        assert (mine[:size][living] == fresh[:size][living]).all()
    assert living_postings(one) == living_postings(other)
    assert (one.vectors is None) == (other.vectors is None)
    if one.vectors is not None and other.vectors is not None:
        assert one.vectors.space_no == other.vectors.space_no
        assert len(one.vectors.embedding_ids) >= size
        assert (one.vectors.embedding_ids[:size][living] == other.vectors.embedding_ids[:size][living]).all()
        assert (one.vectors.codes[:, :size][:, living] == other.vectors.codes[:, :size][:, living]).all()
    for cutoff in (None, *(round(day(at).timestamp() * 1e6) for at in (0, 3, 7))):
        mine, fresh = one.visibility(cutoff), other.visibility(cutoff)
        assert (mine.records, mine.title_words, mine.body_words, mine.digest) == (
            fresh.records, fresh.title_words, fresh.body_words, fresh.digest,
        )  # fmt: skip


class World:
    """A library in two processes' hands, and the things that may happen to it."""

    def __init__(self, path: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.old = HybridLibrary.open(path, embedder=HashEmbedder(16, "old"))
        self.new = HybridLibrary.open(path, embedder=HashEmbedder(80, "new"))
        self.happenings: list[Callable[[], Any]] = [
            self.put, self.put, self.put, self.put_pending, self.put_tree, self.delete, self.purge,
            self.old.optimize, self.old.embed_pending, self.new.embed_pending, self.rebuild, self.put_of_the_new,
        ]  # fmt: skip

    def text(self) -> str:
        return " ".join(self.chance.choice("copper wheat tin rates steel".split()) for _ in range(3))

    def name(self) -> int:
        return self.chance.randint(1, 12)

    def item(self) -> Any:
        return note(self.name(), self.text(), available_at=day(self.chance.randint(0, 8)))

    def put(self) -> None:
        self.old.put(self.item())

    def put_of_the_new(self) -> None:
        self.new.put(self.item())

    def put_pending(self) -> None:
        self.old.put_many([self.item()], embed=False)

    def put_tree(self) -> None:
        sections = [self.text() for _ in range(self.chance.randint(1, 3))]
        self.old.put(filing(f"f{self.name()}", sections, available_at=day(self.chance.randint(0, 8))))

    def delete(self) -> None:
        self._try(lambda: self.old.delete(item_id(self.name()), at=day(9)))

    def purge(self) -> None:
        self._try(lambda: self.old.purge(item_id(self.name())))

    def rebuild(self) -> None:
        if self.chance.random() < 0.3:
            self.old.rebuild()

    def _try(self, happen: Callable[[], Any]) -> None:
        with suppress(NotFound):
            happen()

    def close(self) -> None:
        self.old.close()
        self.new.close()


@pytest.mark.parametrize("pack_after", [None, 5])
@pytest.mark.parametrize("seed", range(5))
def test_following_equals_loading(
    tmp_path: Path, seed: int, pack_after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pack_after is not None:  # as a library does by itself once it is large
        for module in (pipeline, catch_up):
            monkeypatch.setattr(module, "repack", partial(repack, at_least=pack_after))
    world = World(tmp_path / "library.db", seed)
    every, seldom = Follower(), Follower()
    for step in range(40):
        world.chance.choice(world.happenings)()
        fresh = seen_by(world.old, Follower())
        assert_same(seen_by(world.old, every), fresh)
        if step % 7 == 6:
            assert_same(seen_by(world.old, seldom), fresh)
    report = world.old.check()
    assert report.ok, report.findings
    world.close()


def test_what_a_reader_holds_does_not_change(tmp_path: Path) -> None:
    world = World(tmp_path / "library.db", 99)
    follower = Follower()
    for _ in range(5):
        world.put()
        world.put_pending()
    held = seen_by(world.old, follower)
    copies = [array.copy() for array in held.columns.arrays()]
    ids, codes = held.vectors.embedding_ids.copy(), held.vectors.codes.copy()  # type: ignore[union-attr]
    assert not ids[held.columns.visible_until == NEVER].all()
    world.old.embed_pending()
    for _ in range(30):
        seen_by(world.old, follower)
        world.chance.choice(world.happenings)()
    for array, copy in zip(held.columns.arrays(), copies, strict=True):
        assert (array == copy).all()
    assert (held.vectors.embedding_ids == ids).all()  # type: ignore[union-attr]
    assert (held.vectors.codes == codes).all()  # type: ignore[union-attr]
    world.close()


def test_nothing_new_is_the_same_object(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        follower = Follower()
        first = seen_by(library, follower)
        assert seen_by(library, follower) is first
        follower.forget()
        assert seen_by(library, follower) is not first


def test_a_reader_that_began_before_is_sent_to_begin_again(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        follower = Follower()
        with library._database.read() as early:
            early.row("state/get")
            library.put(note(1, "copper"))
            seen_by(library, follower)
            with pytest.raises(ReaderBehind):
                follower.resident(early)
        assert seen_by(library, follower).columns.size == 2


@pytest.mark.parametrize("where", ["columns_from_blobs", "serving_space"])
def test_a_load_that_fails_is_not_built_upon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=HashEmbedder(8)) as library:
        follower = Follower()
        library.put_many(note(number, f"text {number}") for number in range(5))
        library.optimize()
        seen_by(library, follower)
        library.put_many(note(number, f"text {number}") for number in range(5, 9))
        library.optimize()
        library.put(note(9, "text 9"))
        library.purge(item_id(2))
        with monkeypatch.context() as patch:
            patch.setattr(follower_module, where, lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                seen_by(library, follower)
        library.put(note(10, "text 10"))
        assert_same(seen_by(library, follower), seen_by(library, Follower()))


def test_a_load_that_fails_does_not_mislead_a_reader_of_an_older_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=HashEmbedder(8)) as library:
        follower = Follower()
        library.put_many(note(number, f"text {number}") for number in range(5))
        seen_by(library, follower)
        library.put(note(5, "text 5"))
        with library._database.read() as earlier:
            earlier.row("state/get")
            library.purge(item_id(1))
            library.optimize()
            with monkeypatch.context() as patch:
                patch.setattr(follower_module, "serving_space", lambda *_: 1 / 0)
                with pytest.raises(ZeroDivisionError):
                    seen_by(library, follower)
            assert_same(follower.resident(earlier), Follower().resident(earlier))
        assert_same(seen_by(library, follower), seen_by(library, Follower()))


def test_threads_share_one_follower(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=HashEmbedder(8)) as library:
        follower, done = Follower(), threading.Event()
        errors: list[BaseException] = []
        library.put(note("first", "two words"))
        before = seen_by(library, follower).generation - 1

        def read() -> None:
            try:
                while not done.is_set():
                    try:
                        state = seen_by(library, follower)
                    except ReaderBehind:
                        continue
                    shown = state.visibility(None)
                    assert shown.records == state.generation - before  # each write adds one record of two words
                    assert shown.body_words == 2 * shown.records
                    assert state.vectors is not None
                    assert np.count_nonzero(state.vectors.embedding_ids[: state.columns.size]) == shown.records
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(60):
            library.put(note(number, f"two words{number}"))
        done.set()
        for thread in threads:
            thread.join()
        assert errors == []
        assert_same(seen_by(library, follower), seen_by(library, Follower()))


# The arrays


def test_growing_columns_leave_older_views_alone() -> None:
    growing = GrowingColumns()
    views = []
    for first in range(1, 5000, 700):
        growing.append([(i, i, None, 1, 2, i) for i in range(first, first + 700)])
        views.append(growing.now)
    growing.change([(3, None, 7, 1, 2, 9), (5, None, None, None, None, None), (10**6, 1, 1, 1, 1, 1)])
    assert [view.size for view in views] == list(range(701, 5602, 700))[: len(views)]
    assert views[0].visible_until[3] == NEVER
    assert (growing.now.visible_from[3], growing.now.visible_until[3], growing.now.digest[3]) == (NEVER, 7, 9)
    assert growing.now.visible_until[5] == GONE
    assert views[-1].visible_until[5] == NEVER
    assert growing.now.visible_from[4899] == 4899


def test_digests_of_either_sign_are_kept() -> None:
    columns = Columns.blank(3)
    columns.write([(1, 0, None, 0, 0, -1), (2, 0, None, 0, 0, 2**63 - 1)])
    assert columns.digest.tolist() == [0, 2**64 - 1, 2**63 - 1]


def test_vector_columns_grow_and_change_in_arrays_of_their_own() -> None:
    vector = np.array([1, -1, 0, 1], np.float16).tobytes()
    first = VectorColumns(1, 4, 3)
    first.write([(1, 11, vector)])
    grown = first.grown(5000)
    grown.write([(4000, 12, vector)])
    changed = grown.copied()
    changed.write([(1, 13, np.array([-1, -1, -1, 1], np.float16).tobytes())])
    assert first.embedding_ids.tolist() == [0, 11, 0]
    assert (grown.embedding_ids[1], grown.embedding_ids[4000]) == (11, 12)
    assert (grown.codes[0, 1], changed.codes[0, 1]) == (0b1001, 0b1000)
    assert (changed.embedding_ids[1], changed.embedding_ids[4000]) == (13, 12)
