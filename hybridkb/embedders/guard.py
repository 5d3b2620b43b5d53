"""The checks at the door: no vector enters the library that is not finite, not of the right size or without direction.

A vector is normalised in float64, then rounded to float16: that is what is stored, and what queries are compared
with. One bad text never spoils its neighbours; it gets a reason in place of a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders.faults import EmbedderRefused
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import EmbedderError, EmbedderUnavailable, HybridKBError

Answer = TypeVar("Answer")
Checked = NDArray[np.float16] | str
Progress = Callable[[int, int], None]

BATCH_SIZE = 32
BLANK = "blank: nothing to embed"

_PATIENCE = 8


def embed_checked(
    embedder: Embedder, texts: Sequence[str], *, batch_size: int = BATCH_SIZE, progress: Progress | None = None
) -> list[Checked]:
    """Return one entry for each text: its unit vector as float16, or the reason why it has none.

    Blank texts are not sent. A batch that fails is halved until the bad text stands alone.

    Args:
        embedder: any embedder; ragged answers and non-finite values are expected of it.
        texts: documents, in order. Work done is lost when the embedder becomes unavailable: give as many as may be.
        batch_size: most texts for one call.
        progress: called with (texts done, texts in all) after every batch.

    Raises:
        EmbedderUnavailable: the embedder cannot be reached now; nothing is tried any further.
        EmbedderError: it refuses every call, or eight texts in a row failed alone and none was embedded.
        MissingExtra: a part of hybridkb that it needs is not installed.
    """
    run = _Run(embedder)
    results: list[Checked] = [BLANK] * len(texts)
    wanted = [place for place, text in enumerate(texts) if text.strip()]
    blank = len(texts) - len(wanted)
    for start in range(0, len(wanted), batch_size):
        places = wanted[start : start + batch_size]
        for place, result in zip(places, run.embed([texts[place] for place in places]), strict=True):
            results[place] = result
        if progress is not None:
            progress(blank + start + len(places), len(texts))
    return results


class _Run:
    """One pass over many texts: halves what fails, and gives up when nothing at all succeeds."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._failed_alone = 0
        self._succeeded = False

    def embed(self, texts: list[str]) -> list[Checked]:
        try:
            rows = _call_documents(self._embedder, texts)
        except EmbedderError as error:
            if isinstance(error, EmbedderUnavailable | EmbedderRefused):
                raise
            return self._halve(texts, error)
        self._succeeded = True
        return [row if isinstance(row, str) else check_vector(row, self._dimensions()) for row in rows]

    def _dimensions(self) -> int:
        return space_of(self._embedder).dimensions

    def _halve(self, texts: list[str], error: EmbedderError) -> list[Checked]:
        if len(texts) > 1:
            middle = len(texts) // 2
            return self.embed(texts[:middle]) + self.embed(texts[middle:])
        self._failed_alone += 1
        if self._failed_alone >= _PATIENCE and not self._succeeded:
            raise error
        return [str(error)]


def _call_documents(embedder: Embedder, texts: list[str]) -> list[Any]:
    """Return what the embedder answers, one row a text; any exception becomes an EmbedderError."""
    rows = _translated(lambda: list(_documents_method(embedder)(texts)), embedder)
    if len(rows) != len(texts):
        raise EmbedderError(
            f"{_name(embedder)} answered {len(rows)} vectors for {len(texts)} texts", model=_name(embedder)
        )
    return rows


def _documents_method(embedder: Embedder) -> Callable[[list[str]], Iterable[Any]]:
    return getattr(embedder, "embed_each", None) or embedder.embed_documents


def space_of(embedder: Embedder) -> EmbeddingSpace:
    """Return the embedder's space; a service may be asked for it.

    Raises:
        EmbedderUnavailable: the embedder cannot be reached now.
        EmbedderError: it failed, or what it answers is no space.
        MissingExtra: a part of hybridkb that it needs is not installed.
    """
    space = _translated(lambda: embedder.space, embedder)
    if not isinstance(space, EmbeddingSpace):
        raise EmbedderError(
            f"{_name(embedder)} gives a {type(space).__name__} for its space, not an EmbeddingSpace",
            model=_name(embedder),
        )
    return space


def _translated(call: Callable[[], Answer], embedder: Embedder) -> Answer:
    try:
        return call()
    except HybridKBError:
        raise
    except (ConnectionError, TimeoutError) as error:
        raise EmbedderUnavailable(_describe(embedder, error), model=_name(embedder)) from error
    except Exception as error:
        raise EmbedderError(_describe(embedder, error), model=_name(embedder)) from error


def _describe(embedder: Embedder, error: Exception) -> str:
    return f"{_name(embedder)} failed: {type(error).__name__}: {error}"


def _name(embedder: Embedder) -> str:
    try:
        own = getattr(embedder, "model", None)
        return own if isinstance(own, str) else str(embedder.space.model)
    except Exception:  # the user's own code: anything may come
        return type(embedder).__name__


def check_vector(row: object, dimensions: int) -> Checked:
    """Return the row as a unit vector in float16, or the reason why it is none. A string is a reason already."""
    if isinstance(row, str):
        return row
    try:
        vector = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        return "the answer is not a list of numbers"
    reason = _fault(vector, dimensions)
    return reason if reason else _unit(vector).astype(np.float16)


def _fault(vector: NDArray[np.float64], dimensions: int) -> str | None:
    if vector.size == 0:
        return f"empty vector, expected {dimensions} numbers"
    if vector.shape != (dimensions,):
        return f"wrong size: got shape {vector.shape}, expected {dimensions} numbers"
    if np.isnan(vector).any():
        return "the vector holds NaN"
    if np.isinf(vector).any():
        return "the vector holds infinity"
    return None if vector.any() else "the vector is all zeros"


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled = vector / np.abs(vector).max()
    return np.asarray(scaled / np.linalg.norm(scaled), dtype=np.float64)


def embed_query_checked(embedder: Embedder, text: str) -> NDArray[np.float64]:
    """Return the query's unit vector, rounded through float16: shape (dimensions,), float64.

    Raises:
        EmbedderUnavailable: the embedder cannot be reached now.
        EmbedderError: it failed, or its answer is no usable vector; or the query is blank.
        MissingExtra: a part of hybridkb that it needs is not installed.
    """
    if not text.strip():
        raise EmbedderError("a blank query has no vector", model=_name(embedder))
    rows = _translated(lambda: list(embedder.embed_queries([text])), embedder)
    if len(rows) != 1:
        raise EmbedderError(f"{_name(embedder)} answered {len(rows)} vectors for 1 query", model=_name(embedder))
    vector = check_vector(rows[0], space_of(embedder).dimensions)
    if isinstance(vector, str):
        raise EmbedderError(f"{_name(embedder)} gave no usable vector for the query: {vector}", model=_name(embedder))
    return vector.astype(np.float64)


def to_stored(vector: NDArray[np.float16]) -> bytes:
    """Return the bytes kept in the file: little-endian float16, two bytes a dimension."""
    return np.ascontiguousarray(vector, dtype="<f2").tobytes()


def from_stored(data: bytes) -> NDArray[np.float16]:
    """Return the vector that `to_stored` wrote: shape (len(data) / 2,), read-only."""
    return np.frombuffer(data, dtype="<f2")


def to_int8_many(matrix: NDArray[np.float16]) -> NDArray[np.int8]:
    """Return each row scaled so that its largest component is 127, rounded half to even: shape as given.

    A row of zeros stays zeros.
    """
    wide = np.asarray(matrix, dtype=np.float64)
    peak = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    return np.rint(wide / np.where(peak == 0, 1.0, peak) * 127).astype(np.int8)


def int8_error_many(matrix: NDArray[np.float16]) -> NDArray[np.float64]:
    """Return for each row how far quantising moves its unit vector: a bound on the Euclidean distance, shape (rows,).

    Every sum in it is exact (float16 values lie on a grid of 2^-24, codes are whole numbers), so the bound does not
    depend on order or machine; the last addition makes sure it is never below the true distance.
    """
    wide = np.asarray(matrix, dtype=np.float64)
    codes = to_int8_many(matrix).astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1) * (codes * codes).sum(axis=1))
    cosine = (wide * codes).sum(axis=1) / np.where(lengths == 0, 1.0, lengths)
    return np.asarray(np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosine) + 1e-14), dtype=np.float64)


def to_int8(vector: NDArray[np.float16]) -> bytes:
    """Return the int8 codes of one vector, one byte a dimension, as the sqlite-vec table takes them."""
    return bytes(to_int8_many(vector[np.newaxis, :])[0].tobytes())


def int8_error(vector: NDArray[np.float16]) -> float:
    """Return how far quantising moves the unit vector: a bound on the Euclidean distance, about 0.01."""
    return float(int8_error_many(vector[np.newaxis, :])[0])
