"""Writes that fail half-way leave nothing; what another process did meanwhile is taken into account."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hybridkb import HybridLibrary
from hybridkb.embedders import EmbeddingSpace
from hybridkb.errors import EmbedderError, EmbedderUnavailable, InvalidInput, NotFound
from hybridkb.ingest import pipeline as pipeline_module
from hybridkb.knowledge import Withdrawal, write_line
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder
from support.raw_rows import ask, dump, may_be_written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.db"


def opened(path: Path, embedder: Any = "default") -> HybridLibrary:
    return HybridLibrary.open(path, embedder=HashEmbedder(16) if embedder == "default" else embedder)


def hits(library: HybridLibrary, text: str, mode: str = "lexical") -> list[Any]:
    return [hit.item_id for hit in library.search(text, mode=mode)]


# Nothing twice


def test_the_same_again_touches_neither_the_file_nor_the_generation(path: Path) -> None:
    items = [note(1, "copper"), filing("f", ["one", "two"]), note(2, "unknown", available_at=None)]
    embedder = HashEmbedder(16)
    with opened(path, embedder) as library:
        library.put_many(items)
        generation = library.stats().generation
        before, calls = dump(path), embedder.document_calls
        files = {entry.name: entry.stat().st_size for entry in path.parent.iterdir()}
        assert library.put_many(items).unchanged == 3
        assert library.stats().generation == generation
        assert embedder.document_calls == calls
        assert dump(path) == before
        assert {entry.name: entry.stat().st_size for entry in path.parent.iterdir()} == files


# Nothing half


class Stop(BaseException):
    """What no code of ours catches."""


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyboardInterrupt(), Stop(), MemoryError()])
@pytest.mark.parametrize("where", ["add_records", "move_intervals", "repack"])
def test_an_error_inside_the_transaction_leaves_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: BaseException
) -> None:
    def fail(*arguments: Any, **named: Any) -> Any:
        if where == "add_records":
            real(*arguments, **named)
        raise error

    from hybridkb.ingest import write as write_module

    module = pipeline_module if where == "repack" else write_module
    real = getattr(module, where)
    with opened(path) as library:
        library.put(note(1, "copper", title="Copper"))
        before = dump(path)
        with monkeypatch.context() as patch:
            patch.setattr(module, where, fail)
            with pytest.raises(type(error)):
                library.put_many([note(1, "altered"), note(2, "zircon"), filing("f", ["beryl"])])
        assert dump(path) == before
        assert hits(library, "zircon OR beryl OR altered") == []
        assert library.put_many([note(2, "zircon"), filing("f", ["beryl zircon"])]).added == 2
        assert len(hits(library, "zircon")) == 2
        assert library.check().ok


class FailingEmbedder(HashEmbedder):
    """Raises at its n-th call."""

    def __init__(self, error: BaseException, calls: int = 0) -> None:
        super().__init__(16)
        self.error, self.calls = error, calls

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.document_calls >= self.calls:
            raise self.error
        return super().embed_documents(texts)


def test_an_embedder_that_breaks_keeps_the_words(path: Path) -> None:
    with opened(path, FailingEmbedder(RuntimeError("boom"))) as library:
        report = library.put(note(1, "copper"))
        assert (report.added, report.pending) == (1, 1)
        assert hits(library, "copper") == [item_id(1)]
        with pytest.raises(EmbedderError, match="boom"):
            library.put(note(2, "zircon"), require_embeddings=True)
        assert hits(library, "zircon") == []
        assert library.check().ok


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Stop()])
def test_an_interrupt_while_embedding_leaves_nothing(path: Path, error: BaseException) -> None:
    with opened(path, None) as library:
        library.put(note(1, "copper"))
        before = dump(path)
    with opened(path, FailingEmbedder(error)) as library:
        with pytest.raises(type(error)):
            library.put(note(2, "zircon"))
        assert dump(path) == before


def test_an_iterator_that_breaks_keeps_whole_batches_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_module, "BATCH_ITEMS", 10)

    def items() -> Any:
        for number in range(25):
            yield note(number, f"copper {number}")
        raise OSError("the source went away")

    with opened(path) as library:
        with pytest.raises(OSError, match="went away"):
            library.put_many(items())
        assert library.stats().items == 20
        assert library.check().ok


# Numbers of words


def test_numbers_of_words_that_were_rolled_back_are_not_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with opened(path, None) as library:
        library.put(note(1, "copper"))
        for _ in range(3):
            with monkeypatch.context() as patch:
                patch.setattr(pipeline_module, "repack", fail)
                with pytest.raises(RuntimeError):
                    library.put(note(2, "zircon beryl"))
        with opened(path, None) as other:
            other.put(note(3, "garnet topaz"))  # takes the numbers that were rolled back
        library.put(note(2, "zircon topaz"))
        assert [hits(library, word) for word in ("zircon", "garnet")] == [[item_id(2)], [item_id(3)]]
        assert sorted(map(str, hits(library, "topaz"))) == sorted(map(str, [item_id(2), item_id(3)]))
        assert hits(library, "beryl") == []
        assert library.check().ok


def test_numbers_of_words_are_those_of_the_thread_that_committed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread's commit must not vouch for the words of another that has begun and will roll back."""
    begun, proceed = threading.Event(), threading.Event()
    real = pipeline_module.repack

    def slow(connection: Any, **named: Any) -> bool:
        if threading.current_thread().name == "failing":
            begun.set()
            proceed.wait(10)
            raise RuntimeError
        return real(connection, **named)

    monkeypatch.setattr(pipeline_module, "repack", slow)
    with opened(path, None) as library:
        def failing() -> None:
            with pytest.raises(RuntimeError):
                library.put(note("bad", "zircon"))

        library.put(note(1, "copper"))
        terms, real_committed = library._ingest.terms, library._ingest.terms.committed
        threads = [threading.Thread(target=failing, name="failing")]

        def committed() -> None:
            threads[0].start()
            begun.wait(0.5)  # the other thread cannot begin before this one has remembered its words
            real_committed()

        monkeypatch.setattr(terms, "committed", committed)
        library.put(note(2, "tin"))
        monkeypatch.setattr(terms, "committed", real_committed)
        assert begun.wait(10)
        proceed.set()
        threads[0].join()
        with opened(path, None) as other:
            other.put(note(3, "garnet"))
        library.put(note(4, "zircon"))
        assert [hits(library, word) for word in ("zircon", "garnet", "tin")] == [
            [item_id(4)], [item_id(3)], [item_id(2)],
        ]  # fmt: skip
        assert library.check().ok


@pytest.mark.parametrize("what", ["purge", "rebuild", "optimize", "compact"])
def test_numbers_of_words_follow_what_another_process_did(path: Path, what: str) -> None:
    with opened(path, None) as library, opened(path, None) as other:
        library.put_many([note(1, "copper zircon"), note(2, "beryl copper")])
        other.search("copper")
        if what == "purge":
            other.purge(item_id(1))
        else:
            getattr(other, what)()
        other.put(note(3, "garnet"))
        library.put_many([note(4, "zircon garnet"), note(5, "topaz")])
        assert set(hits(library, "zircon")) == {item_id(4)} | ({item_id(1)} if what != "purge" else set())
        assert set(hits(other, "garnet")) == {item_id(3), item_id(4)}
        assert hits(other, "topaz") == [item_id(5)]
        assert library.check().ok


# Withdrawing and putting again


def test_a_put_at_the_same_availability_stays_withdrawn_and_says_so(path: Path) -> None:
    with opened(path) as library:
        library.put(note(1, "copper", available_at=day(1)))
        library.delete(item_id(1), at=day(5))
        for again in (note(1, "copper", available_at=day(1)), note(1, "copper corrected", available_at=day(1))):
            report = library.put(again)
            assert report.withdrawn == (str(item_id(1)),)
            assert hits(library, "copper") == []
            assert [hit.item_id for hit in library.search("copper", mode="lexical", available_at_before=day(4))] == [
                item_id(1)
            ]
        assert library.put(note(1, "copper again", available_at=day(9))).withdrawn == ()
        assert hits(library, "copper") == [item_id(1)]
        assert library.check().ok


def test_a_put_at_the_instant_of_a_withdrawal_says_that_it_stays_withdrawn(path: Path) -> None:
    with opened(path) as library:
        library.put(note(1, "copper", available_at=day(1)))
        library.delete(item_id(1), at=day(5))
        report = library.put(note(1, "copper again", available_at=day(5)))
        assert (report.revised, report.withdrawn) == (1, (str(item_id(1)),))


@pytest.mark.parametrize("first", [None, day(9)], ids=["unknown", "later"])
def test_a_batch_journals_no_edit_of_what_was_never_stored(path: Path, first: Any) -> None:
    with opened(path) as library:
        library.put_many([note(1, "copper", available_at=first), note(1, "copper known", available_at=day(5))])
        assert ask(path, "SELECT kind FROM journal") == []
        library.put_many([note(2, "tin", available_at=None)])
        library.put_many([note(2, "tin", available_at=first), note(2, "tin known", available_at=day(5))])
        assert ask(path, "SELECT kind FROM journal WHERE kind = 'correction'") == [("correction",)]
        assert library.check().ok


# Reports


def test_pending_of_many_batches_is_the_sum(path: Path) -> None:
    with opened(path) as library:
        assert library.put_many((note(n, f"text {n}") for n in range(1500)), embed=False).pending == 1500
        assert library.stats().pending == 1500


def test_a_long_batch_to_skip_in_is_compared_in_one_pass(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    real = pipeline_module.refuse_contradiction

    def counted(seen: Any, one: Any) -> None:
        nonlocal compared
        compared += 1
        real(seen, one)

    monkeypatch.setattr(pipeline_module, "refuse_contradiction", counted)
    items = [note(n % 50, f"text {n // 100}") for n in range(200)]
    with opened(path, None) as library:
        report = library.put_many(items, on_error="skip")
        assert compared == 200
        assert [one.position for one in report.skipped] == list(range(100, 200))
        assert (report.added, report.unchanged) == (50, 50)


# Restoring


def test_what_is_skipped_of_lines_is_placed_by_its_line(path: Path) -> None:
    def withdrawal(name: object, moment: Any) -> Withdrawal:
        return Withdrawal(id=item_id(name), at=moment)

    good, unknown = note(1, "copper", available_at=day(3)), note(2, "tin", available_at=None)
    lines = [
        write_line(withdrawal("nobody", day(1))),
        "rubbish",
        write_line(good),
        "",
        write_line(note(1, "contradiction", available_at=day(3))),
        write_line(unknown),
        write_line(withdrawal(1, day(2))),
        write_line(withdrawal(2, day(9))),
        write_line(withdrawal(1, day(5))),
        write_line(note(1, "too late to be unknown", available_at=None)),
        "[]",
        write_line(note(3, "last")),
    ]
    with opened(path) as library:
        report = library.import_lines(lines, on_error="skip")
        assert [one.position for one in report.skipped] == [0, 1, 4, 6, 7, 9, 10]
        assert [one.item_id for one in report.skipped] == [
            str(item_id("nobody")), None, *(str(item_id(name)) for name in (1, 1, 2, 1)), None,
        ]  # fmt: skip
        assert all(one.reason for one in report.skipped)
        assert "positions 2 and 4" in report.skipped[2].reason
        assert report.added == 3
        with pytest.raises(NotFound, match="withdrawn"):
            library.get(item_id(1))
        assert library.check().ok


@pytest.mark.parametrize(("name", "error"), [("unknown", InvalidInput), ("known", InvalidInput), ("no", NotFound)])
def test_a_withdrawal_that_cannot_be_is_an_error_in_words(path: Path, name: str, error: type[Exception]) -> None:
    with opened(path) as library:
        library.put_many([note("unknown", "copper", available_at=None), note("known", "tin", available_at=day(9))])
        with pytest.raises(error, match=str(item_id(name))):
            library.import_lines([write_line(Withdrawal(id=item_id(name), at=day(1)))])


# Embedders of users


class Unlocked(HashEmbedder):
    """Notes whether the file could be written by another whenever its space is asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__(16)
        self.path = path
        self.watching = False
        self.asked: list[bool] = []

    @property
    def space(self) -> EmbeddingSpace:
        if self.watching:
            self.asked.append(may_be_written(self.path))
        return self._space

    @space.setter
    def space(self, space: EmbeddingSpace) -> None:
        self._space = space


def test_an_embedder_is_never_asked_while_the_file_is_locked(path: Path) -> None:
    embedder = Unlocked(path)
    with opened(path, embedder) as library:
        embedder.watching = True
        library.put_many([note(1, "copper"), note(2, "tin")])
        library.put(note(1, "copper again", available_at=day(9)))
        library.put_many([note(3, "zinc")], embed=False)
        library.embed_pending()
        assert embedder.asked
        assert all(embedder.asked)


class Faulty(HashEmbedder):
    """One of its members raises what no code of ours knows."""

    def __init__(self, member: str, error: Exception) -> None:
        super().__init__(16)
        self._member, self._error = member, error

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name == self._member:
            raise self._error
        return super().__getattribute__(name)


@pytest.mark.parametrize("member", ["space", "count_windows", "is_truncated", "unknown_share", "model", "embed_each"])
@pytest.mark.parametrize("error", [RuntimeError("boom"), ConnectionError("gone"), KeyError("k")], ids=lambda e: str(e))
def test_what_an_embedder_raises_never_breaks_a_put_or_a_search(path: Path, member: str, error: Exception) -> None:
    embedder = HashEmbedder(16)
    with opened(path, embedder) as library:
        library.put(note(1, "copper"))
    faulty = Faulty("", error)
    with opened(path, faulty) as library:
        faulty._member = member
        report = library.put(note(2, "copper tin"))
        assert (report.added, report.pending) == (1, int(member in ("space", "embed_each")))
        assert report.degraded is None or str(error) in report.degraded
        assert set(hits(library, "copper", "hybrid")) == {item_id(1), item_id(2)}
        if member in ("space", "embed_each"):
            with pytest.raises(EmbedderError if member == "embed_each" else InvalidInput, match=str(error)):
                library.put(note(3, "copper zinc"), require_embeddings=True)
        if member == "space":
            with pytest.raises(EmbedderUnavailable, match=str(error)):
                library.embed_pending()
        assert library.check().ok


@pytest.mark.parametrize("answer", [None, "many", []], ids=repr)
def test_an_embedder_that_says_nonsense_about_its_windows_says_nothing(path: Path, answer: object) -> None:
    embedder = HashEmbedder(16)
    embedder.count_windows = lambda text: answer  # type: ignore[attr-defined]
    embedder.unknown_share = lambda text: answer  # type: ignore[attr-defined]
    with opened(path, embedder) as library:
        report = library.put(note(1, "copper"))
        assert (report.pending, report.split_texts) == (0, 0)
        assert hits(library, "copper", "semantic") == [item_id(1)]


# Vectors


def test_catching_up_may_be_interrupted_and_goes_on(path: Path) -> None:
    with opened(path, None) as library:
        library.put_many(note(number, f"text number {number}") for number in range(300))
    failing = FailingEmbedder(EmbedderUnavailable("gone", model="fake"), calls=5)
    with opened(path, failing) as library:
        with pytest.raises(EmbedderUnavailable):
            library.embed_pending()
        done = 300 - library.stats().pending
        assert 0 < done < 300
        assert library.check().ok
        assert library.search("text number 7").pending == 300 - done
    fresh = HashEmbedder(16)
    with opened(path, fresh) as library:
        seen: list[tuple[int, int | None]] = []
        report = library.embed_pending(progress=lambda *step: seen.append(step))
        assert (report.embedded, report.pending, report.serving) == (300 - done, 0, True)
        assert len(fresh.document_texts) == 300 - done
        assert seen[-1] == (300 - done, 300 - done)
        assert library.search("text number 7", mode="semantic")[0].item_id == item_id(7)
        assert library.check().ok
        calls = fresh.document_calls
        assert library.embed_pending().embedded == 0
        assert fresh.document_calls == calls


def test_a_space_that_was_made_and_not_filled_is_told_to_open_libraries(path: Path) -> None:
    with opened(path, None) as library:
        library.put(note(1, "copper"))
    with opened(path) as reader:
        reader.search("copper")
        failing = FailingEmbedder(EmbedderUnavailable("gone", model="fake"))
        with opened(path, failing) as library, pytest.raises(EmbedderUnavailable):
            library.embed_pending()
        assert reader.search("copper").pending == 1
        assert reader.search("copper").degraded


def test_a_text_embedded_for_a_new_record_serves_the_older_that_waited_for_it(path: Path) -> None:
    with opened(path) as library, opened(path) as reader:
        library.put(note(1, "the same text"), require_embeddings=False)
        library.put_many([note(2, "another text"), note(3, "another text")], embed=False)
        assert reader.search("another text", mode="semantic").pending == 2
        library.put(note(4, "another text"))
        assert reader.search("another text", mode="semantic").pending == 0
        assert set(hits(reader, "another text", "semantic")[:3]) == {item_id(2), item_id(3), item_id(4)}
        assert library.check().ok


def test_two_processes_that_catch_up_at_once_do_not_meet(path: Path) -> None:
    with opened(path, None) as library:
        library.put_many(note(number, f"text number {number}") for number in range(20))

    class Meanwhile(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if not self.document_calls:
                with opened(path) as other:
                    other.embed_pending()
            return super().embed_documents(texts)

    with opened(path, Meanwhile(16)) as library:
        assert library.embed_pending().pending == 0
        assert library.check().ok
    assert ask(path, "SELECT count(*), count(DISTINCT text_hash) FROM embedding") == [(20, 20)]


def test_what_is_purged_while_it_is_embedded_leaves_no_vector(path: Path) -> None:
    with opened(path, None) as library:
        library.put_many([note(1, "stays"), note(2, "goes")])

    class Meanwhile(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            with opened(path, None) as other:
                other.purge(item_id(2))
            return super().embed_documents(texts)

    with opened(path, Meanwhile(16)) as library:
        library.embed_pending()
        assert library.check().ok
    assert ask(path, "SELECT count(*) FROM embedding") == [(1,)]


def test_a_second_model_fills_its_space_beside_the_old_and_back_costs_nothing(path: Path) -> None:
    old, new = HashEmbedder(16, "old"), HashEmbedder(8, "new")

    def spaces(library: HybridLibrary) -> dict[str, tuple[str, int]]:
        return {space.model: (space.state, space.vectors) for space in library.stats().spaces}

    with opened(path, old) as library:
        library.put_many(note(number, f"text number {number}") for number in range(10))
    with opened(path, new) as library:
        library.put(note("both", "the newest text"))
        assert spaces(library) == {"old": ("serving", 10), "new": ("building", 1)}
        assert library.check().ok
        assert library.embed_pending().serving
        assert spaces(library) == {"old": ("retired", 10), "new": ("serving", 11)}
        library.put(note("again", "text number 3"))  # the old space knows this text already
        assert library.check().ok
        assert library.search("text number 3", mode="semantic").mode == "semantic"
    calls = old.document_calls
    with opened(path, old) as library:
        library.put(note("back", "text number 4"))
        assert library.check().ok
        assert spaces(library)["old"] == ("building", 10)
        assert old.document_calls == calls
        report = library.embed_pending()
        assert (report.embedded, report.pending, report.serving) == (1, 0, True)
        assert spaces(library) == {"old": ("serving", 11), "new": ("retired", 11)}
        found = [hit.item_id for hit in library.search("text number 3", mode="semantic", top_k=2)]
        assert set(found) == {item_id(3), item_id("again")}
        assert library.check().ok


def test_a_text_that_cannot_be_embedded_is_listed_and_does_not_keep_the_space_from_serving(path: Path) -> None:
    class Choosy(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            rows = super().embed_documents(texts)
            rows[[place for place, text in enumerate(texts) if "poison" in text]] = np.nan
            return rows

    with opened(path, None) as library:
        library.put_many([note(1, "good"), note(2, "poison")])
    with opened(path, Choosy(16)) as library:
        report = library.embed_pending()
        assert (report.embedded, report.pending, report.serving) == (1, 1, True)
        assert [locator for locator, _ in report.failed] == [f"item:{item_id(2)}"]
        assert library.search("good").pending == 1
        assert library.check().ok


# Export and import


def test_an_export_is_imported_and_exported_again_byte_for_byte(path: Path, tmp_path: Path) -> None:
    with opened(path, None) as library:
        library.put_many([
            note(1, "first", available_at=day(1)), note(1, "second", available_at=day(9)),
            note(1, "between", available_at=day(5)), note(2, "unknown", available_at=None),
            note(3, "withdrawn twice", available_at=day(1)), note(4, "purged and back"),
            filing("f", ["one", "two"], root="root", tags=("x",)), note(5, "purged for good"),
        ])  # fmt: skip
        library.delete(item_id(3), at=day(12))
        library.delete(item_id(3), at=day(11))
        library.delete(item_id(1), at=day(20))
        library.put(note(1, "third", available_at=day(30)))
        library.purge(item_id(4), reason="privacy")
        library.put(note(4, "back again"))
        library.purge(item_id(5))
        exported = list(library.export())
    with opened(tmp_path / "copy.db", None) as copy:
        report = copy.import_lines(exported)
        assert report.skipped == ()
        assert list(copy.export()) == exported
        copy.import_lines(exported)
        assert list(copy.export()) == exported
        assert copy.check().ok
        with opened(path, None) as library:
            for at in (0, 2, 6, 10, 11, 15, 25, 40):
                texts = ("first OR second OR between OR third", "withdrawn twice", "unknown OR back OR one")
                for text in texts:
                    found = [one.search(text, available_at_before=day(at)) for one in (library, copy)]
                    shown = [[(hit.locator, hit.matched_text, hit.score) for hit in one] for one in found]
                    assert shown[0] == shown[1]


def test_a_withdrawal_of_what_is_not_held_is_told_in_words(path: Path) -> None:
    line = f'{{"withdrawal":{{"id":"{item_id(1)}","at":"2024-01-05T00:00:00Z"}}}}'
    with opened(path, None) as library:
        with pytest.raises(Exception, match="does not hold it"):
            library.import_lines([line])
        assert library.stats().items == 0
