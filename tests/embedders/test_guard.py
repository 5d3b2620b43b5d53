"""The checks at the door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.embedders import guard
from hybridkb.embedders.guard import embed_checked, embed_query_checked
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import EmbedderError, EmbedderUnavailable, MissingExtra
from support.fake_embedder import HashEmbedder, TableEmbedder


class Scripted:
    """Answers what a function of the texts says."""

    space = EmbeddingSpace("scripted", 4, "1")

    def __init__(self, answer: Callable[[list[str]], Any]) -> None:
        self._answer = answer
        self.calls: list[list[str]] = []

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.calls.append(list(texts))
        return self._answer(list(texts))

    embed_queries = embed_documents


BAD = {
    "nan": [float("nan"), 0, 0, 1],
    "zeros": [0, 0, 0, 0],
    "infinity": [0, float("-inf"), 0, 1],
    "empty": [],
    "short": [1, 2, 3],
    "words": ["a", "b", "c", "d"],
    "nothing": None,
    "nested": [[1, 2, 3, 4]],
}


def row_of(text: str) -> Any:
    return BAD.get(text, [3.0, 0, 4.0, 0])


def test_bad_vectors_get_a_reason_and_spoil_nothing() -> None:
    good = [f"good {number}" for number in range(10)]
    texts = [*BAD, *good]
    results = embed_checked(Scripted(lambda batch: [row_of(text) for text in batch]), texts)
    reasons = dict(zip(BAD, results, strict=False))
    assert reasons == {
        "nan": "the vector holds NaN",
        "zeros": "the vector is all zeros",
        "infinity": "the vector holds infinity",
        "empty": "empty vector, expected 4 numbers",
        "short": "wrong size: got shape (3,), expected 4 numbers",
        "words": "the answer is not a list of numbers",
        "nothing": "wrong size: got shape (), expected 4 numbers",
        "nested": "wrong size: got shape (1, 4), expected 4 numbers",
    }
    for vector in results[len(BAD) :]:
        assert not isinstance(vector, str)
        assert vector.dtype == np.float16
        np.testing.assert_array_equal(vector, np.array([0.6, 0, 0.8, 0], dtype=np.float16))


def test_blank_texts_are_not_sent() -> None:
    embedder = HashEmbedder()
    results = embed_checked(embedder, ["", "word", " \n\t\u3000"])
    assert [result if isinstance(result, str) else "ok" for result in results] == [guard.BLANK, "ok", guard.BLANK]
    assert embedder.document_texts == ["word"]


def test_nothing_at_all_is_fine() -> None:
    assert embed_checked(HashEmbedder(), []) == []


def test_a_failing_batch_is_halved_until_the_bad_text_stands_alone() -> None:
    def answer(batch: list[str]) -> Any:
        if "bad" in batch:
            raise ValueError("cannot read this")
        return np.ones((len(batch), 4), dtype=np.float32)

    embedder = Scripted(answer)
    results = embed_checked(embedder, ["a", "b", "bad", "c", "d"])
    assert [isinstance(result, str) for result in results] == [False, False, True, False, False]
    assert results[2] == "scripted failed: ValueError: cannot read this"


def test_a_wrong_number_of_vectors_is_never_guessed_at() -> None:
    embedder = Scripted(lambda batch: np.ones((1, 4)))
    results = embed_checked(embedder, ["a", "b", "c"])
    assert not any(isinstance(result, str) for result in results)
    assert [len(call) for call in embedder.calls] == [3, 1, 2, 1, 1]
    assert embed_checked(Scripted(lambda batch: []), ["a"]) == ["scripted answered 0 vectors for 1 texts"]


@pytest.mark.parametrize("answer", [None, 5, object()])
def test_an_answer_that_is_no_list_is_a_reason(answer: Any) -> None:
    (result,) = embed_checked(Scripted(lambda batch: answer), ["a"])
    assert isinstance(result, str)
    assert "TypeError" in result


def test_an_unavailable_embedder_stops_at_once() -> None:
    embedder = HashEmbedder()
    embedder.fail_with = EmbedderUnavailable("down", model="fake")
    with pytest.raises(EmbedderUnavailable, match="down"):
        embed_checked(embedder, ["a", "b", "c"])
    assert embedder.document_calls == 1


@pytest.mark.parametrize("error", [ConnectionRefusedError("no"), TimeoutError("late")])
def test_network_errors_of_a_callers_embedder_mean_unavailable(error: Exception) -> None:
    embedder = HashEmbedder()
    embedder.fail_with = error
    with pytest.raises(EmbedderUnavailable) as caught:
        embed_checked(embedder, ["a", "b"])
    assert caught.value.__cause__ is error
    assert embedder.document_calls == 1


def test_a_missing_extra_is_passed_on() -> None:
    embedder = HashEmbedder()
    embedder.fail_with = MissingExtra("install it", extra="local")
    with pytest.raises(MissingExtra):
        embed_checked(embedder, ["a", "b"])


def test_an_embedder_that_always_fails_is_given_up() -> None:
    embedder = HashEmbedder()
    embedder.fail_with = RuntimeError("broken")
    with pytest.raises(EmbedderError, match="fake failed: RuntimeError: broken") as caught:
        embed_checked(embedder, [f"text {number}" for number in range(1000)])
    assert caught.value.__cause__ is embedder.fail_with
    assert embedder.document_calls < 30


def test_progress_counts_every_text() -> None:
    seen: list[tuple[int, int]] = []
    embed_checked(HashEmbedder(), ["a", "", "b", "c"], batch_size=2, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(3, 4), (4, 4)]


def test_huge_and_tiny_vectors_keep_their_direction() -> None:
    table = {"huge": [3e300, 4e300], "tiny": [3e-300, 4e-300]}
    embedder = Scripted(lambda batch: [[*table[text], 0.0, 0.0] for text in batch])
    for vector in embed_checked(embedder, ["huge", "tiny"]):
        np.testing.assert_allclose(np.asarray(vector, dtype=float)[:2], [0.6, 0.8], atol=1e-3)


def test_a_query_vector_is_the_document_vector_of_the_same_text() -> None:
    embedder = HashEmbedder(16)
    (document,) = embed_checked(embedder, ["copper prices"])
    query = embed_query_checked(embedder, "copper prices")
    assert query.dtype == np.float64
    np.testing.assert_array_equal(query, np.asarray(document, dtype=np.float64))


@pytest.mark.parametrize("text", list(BAD))
def test_a_query_without_a_usable_vector_is_an_error(text: str) -> None:
    with pytest.raises(EmbedderError, match="scripted"):
        embed_query_checked(Scripted(lambda batch: [row_of(text) for text in batch]), text)


def test_failures_of_a_query_are_ours() -> None:
    with pytest.raises(EmbedderError, match="KeyError") as caught:
        embed_query_checked(TableEmbedder({}, 4), "unknown")
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(EmbedderError, match="blank"):
        embed_query_checked(TableEmbedder({}, 4), "  ")
    with pytest.raises(EmbedderError, match="2 vectors for 1 query"):
        embed_query_checked(Scripted(lambda batch: np.ones((2, 4))), "a")


@pytest.mark.parametrize("space", [RuntimeError("boom"), None, "a name", ("scripted", 4, "1")], ids=repr)
def test_a_space_that_fails_or_is_none_is_our_error(space: object) -> None:
    class Odd(Scripted):
        @property
        def space(self) -> Any:  # type: ignore[override]
            if isinstance(space, Exception):
                raise space
            return space

    odd = Odd(lambda texts: [[1.0, 0, 0, 0] for _ in texts])
    with pytest.raises(EmbedderError, match="Odd"):
        guard.space_of(odd)
    with pytest.raises(EmbedderError, match="Odd"):
        embed_checked(odd, ["a"])
    with pytest.raises(EmbedderError, match="Odd"):
        embed_query_checked(odd, "a")


def test_a_space_that_cannot_be_reached_is_unavailable() -> None:
    class Away(Scripted):
        @property
        def space(self) -> Any:  # type: ignore[override]
            raise ConnectionError("refused")

    with pytest.raises(EmbedderUnavailable, match="refused"):
        guard.space_of(Away(lambda texts: []))


def test_stored_bytes_come_back() -> None:
    (vector,) = embed_checked(HashEmbedder(24), ["copper"])
    assert not isinstance(vector, str)
    data = guard.to_stored(vector)
    assert len(data) == 48
    np.testing.assert_array_equal(guard.from_stored(data), vector)
    assert guard.to_stored(np.array([1.0], dtype=np.float16)) == b"\x00\x3c"


vectors = st.lists(st.floats(-1, 1, width=16), min_size=3, max_size=40).filter(any)


@given(vectors)
def test_the_int8_bound_holds(numbers: list[float]) -> None:
    vector = np.array(numbers, dtype=np.float16)
    codes = np.frombuffer(guard.to_int8(vector), dtype=np.int8).astype(np.float64)
    assert np.abs(codes).max() == 127
    unit = vector.astype(np.float64) / np.linalg.norm(vector.astype(np.float64))
    distance = np.linalg.norm(unit - codes / np.linalg.norm(codes))
    assert distance <= guard.int8_error(vector) <= distance + 1e-6


def test_many_rows_equal_one_at_a_time() -> None:
    matrix = np.random.default_rng(1).normal(size=(50, 384)).astype(np.float16)
    assert [row.tobytes() for row in guard.to_int8_many(matrix)] == [guard.to_int8(row) for row in matrix]
    assert guard.int8_error_many(matrix).tolist() == [guard.int8_error(row) for row in matrix]
    assert guard.to_int8_many(matrix[:0]).shape == (0, 384)
    assert guard.int8_error_many(matrix[:0]).shape == (0,)


def test_a_row_of_zeros_stays_zeros() -> None:
    zeros = np.zeros((1, 4), dtype=np.float16)
    assert guard.to_int8_many(zeros).tolist() == [[0, 0, 0, 0]]
    assert np.isfinite(guard.int8_error_many(zeros)).all()
