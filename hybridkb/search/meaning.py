"""The query's vector, or the reason why only words can be searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders import embed_query_checked, unknown_share
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import EmbedderError, EmbedderUnavailable, HybridKBError, MissingExtra
from hybridkb.store.embedders import EmbedderChoice
from hybridkb.vector.spaces import StoredSpace

MOST_UNKNOWN = 0.5
NO_VECTORS = "words only: nothing visible has a vector yet; run embed_pending() (hybridkb embed)"


@dataclass(frozen=True, slots=True)
class QueryMeaning:
    """A query's vector in the serving space.

    Attributes:
        space: the space; None when there is no vector.
        vector: unit vector, float64 with float16 values, shape (dimensions,).
        trouble: why there is no vector, or why it says little.
    """

    space: StoredSpace | None
    vector: NDArray[np.float64] | None
    trouble: str | None


def embed_query(choice: EmbedderChoice, serving: StoredSpace | None, text: str) -> QueryMeaning:
    """Embed a query, outside any transaction; failures become reasons."""
    if serving is None:
        reason = choice.opened().reason
        return QueryMeaning(None, None, f"words only: {reason}" if reason else NO_VECTORS)
    readable = choice.for_space(serving.space)
    if readable.embedder is None:
        return QueryMeaning(None, None, f"words only: {readable.reason}")
    try:
        vector = embed_query_checked(readable.embedder, text)
    except (EmbedderError, MissingExtra) as error:
        return QueryMeaning(None, None, f"words only: {error}")
    return QueryMeaning(serving, vector, _unread(readable.embedder, serving.space, text))


def require_meaning(meaning: QueryMeaning) -> None:
    """Refuse to answer a search by meaning with words.

    Raises:
        EmbedderUnavailable: there is no vector for the query.
    """
    if meaning.vector is None:
        raise EmbedderUnavailable(
            f'mode="semantic" cannot be answered: {meaning.trouble}; use mode="hybrid" or "lexical"'
        )


def _unread(embedder: object, space: EmbeddingSpace, text: str) -> str | None:
    try:
        share = unknown_share(embedder, text)  # type: ignore[arg-type]
    except HybridKBError:
        return None
    if share < MOST_UNKNOWN:
        return None
    return f"{space.model} cannot read {share:.0%} of the query; its vector says little, words carry the answer"
