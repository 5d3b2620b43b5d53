"""Reads the answer of an OpenAI-compatible service: right number, right order, right size, finite; or an error."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders.faults import EmbedderRefused
from hybridkb.errors import EmbedderError

Row = NDArray[np.float64] | str


def read_answer(answer: Any, *, expected: int, dimensions: int | None, model: str) -> list[Row]:
    """Return one vector for each text sent, in the order sent, or the reason why that text has none.

    Args:
        answer: what `client.embeddings.create` returned; vectors as lists of numbers or as base64 of float32.
        expected: how many texts were sent.
        dimensions: how many numbers a vector must have; None takes the size of the first.
        model: for the messages.

    Raises:
        EmbedderError: the answer is none, or holds another number of vectors.
        EmbedderRefused: its vectors have another size than the model's.
    """
    entries = _entries(answer, expected, model)
    vectors = [_decode(getattr(entry, "embedding", None), model) for entry in _in_order(entries, model)]
    size = dimensions or vectors[0].size
    return [_sized(vector, size, model) for vector in vectors]


def _entries(answer: Any, expected: int, model: str) -> list[Any]:
    entries = getattr(answer, "data", None)
    if not isinstance(entries, list):
        raise EmbedderError(f"{model}: expected a list of embeddings, got {type(answer).__name__}", model=model)
    if len(entries) != expected:
        raise EmbedderError(f"{model}: expected {expected} vectors, got {len(entries)}", model=model)
    return entries


def _in_order(entries: list[Any], model: str) -> list[Any]:
    """Sort by `index`, as the answer may come in any order; a service that numbers none keeps its order."""
    numbers = [getattr(entry, "index", None) for entry in entries]
    if all(number is None for number in numbers):
        return entries
    if sorted(number if isinstance(number, int) else -1 for number in numbers) != list(range(len(entries))):
        raise EmbedderError(
            f"{model}: expected vectors numbered 0 to {len(entries) - 1}, got {numbers[:10]}", model=model
        )
    return sorted(entries, key=lambda entry: int(entry.index))


def _decode(embedding: Any, model: str) -> NDArray[np.float64]:
    try:
        if isinstance(embedding, str):
            return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4").astype(np.float64)
        vector = np.asarray(embedding, dtype=np.float64)
    except (TypeError, ValueError, binascii.Error) as error:
        raise EmbedderError(f"{model}: expected a vector of numbers, got {_brief(embedding)}", model=model) from error
    if vector.ndim != 1:
        raise EmbedderError(f"{model}: expected a vector of numbers, got {_brief(embedding)}", model=model)
    return vector


def _brief(value: Any) -> str:
    return f"{type(value).__name__} {str(value)[:40]}"


def _sized(vector: NDArray[np.float64], size: int, model: str) -> Row:
    if vector.size != size or size == 0:
        raise EmbedderRefused(f"{model}: expected vectors of {size} numbers, got {vector.size}", model=model)
    finite = np.isfinite(vector)
    if finite.all():
        return vector
    place = int(np.argmin(finite))
    return f"{model}: expected finite numbers, got {vector[place]} at place {place} of the vector"
