"""New texts to vectors, outside any transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from hybridkb.embedders import count_windows, embed_checked, is_truncated
from hybridkb.embedders.guard import BLANK, Checked
from hybridkb.embedders.space import Embedder
from hybridkb.errors import EmbedderError, MissingExtra
from hybridkb.ingest.reports import Embedded
from hybridkb.vector.index import NewVector

Requirement = Literal["nothing", "model", "all"]


def embed_texts(
    embedder: Embedder,
    texts: Mapping[bytes, str],
    *,
    required: Requirement,
    progress: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Embed distinct texts, given by hash.

    Args:
        embedder: the model.
        texts: text by text hash.
        required: ``"nothing"`` reports whatever fails; ``"model"`` raises when the model fails as a whole;
            ``"all"`` also when one text gets no vector.
        progress: called with (texts done, texts in all).

    Raises:
        EmbedderError, MissingExtra: see ``required``.
    """
    result = Embedded(sent=len(texts))
    if not texts:
        return result
    try:
        vectors = embed_checked(embedder, list(texts.values()), progress=progress)
    except (EmbedderError, MissingExtra) as error:
        if required != "nothing":
            raise
        return Embedded(degraded=str(error))
    for (text_hash, text), vector in zip(texts.items(), vectors, strict=True):
        if required == "all" and isinstance(vector, str) and vector != BLANK:
            raise EmbedderError(
                f"a text got no usable vector ({vector}) and require_embeddings was asked for; nothing was written",
                model=embedder.space.model,
            )
        result.vectors[text_hash] = vector
        result.split += count_windows(embedder, text) > 1
        result.truncated += is_truncated(embedder, text)
    return result


def new_vectors(vectors: Mapping[bytes, Checked]) -> list[NewVector]:
    """Ready the vectors for the index."""
    return [NewVector(text_hash, vector) for text_hash, vector in vectors.items()]
