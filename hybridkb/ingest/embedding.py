"""New texts to vectors, outside any transaction; and the vectors into the file, inside one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from hybridkb.database import Connection, ids_parameter
from hybridkb.embedders import count_windows, embed_checked, is_truncated
from hybridkb.embedders.guard import BLANK, Checked
from hybridkb.embedders.space import Embedder
from hybridkb.errors import EmbedderError, MissingExtra
from hybridkb.ingest.reports import Embedded
from hybridkb.store.canonical import note_in_journal
from hybridkb.store.records import log_texts_embedded
from hybridkb.vector.index import NewVector, attach_records, detach_records, store_vectors
from hybridkb.vector.spaces import StoredSpace

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


def keep_vectors(
    connection: Connection, stored: StoredSpace, vectors: Mapping[bytes, Checked], *, generation: int, now: int
) -> None:
    """Store vectors and give them to every stored record that waited for them.

    A text may be embedded for the sake of a new record and be that of an older, pending one too.
    """
    store_vectors(connection, stored, [NewVector(text_hash, vector) for text_hash, vector in vectors.items()])
    good = [text_hash for text_hash, vector in vectors.items() if not isinstance(vector, str)]
    waited = log_texts_embedded(connection, good, generation) if good else []
    if not waited:
        return
    detach_records(connection, [stored], waited)  # another process may have been faster
    attach_records(connection, stored, waited)
    first = connection.value("records/first_visible", ids_parameter(waited))
    if first is not None and stored.state == "serving":
        note_in_journal(
            connection,
            now=now,
            kind="embedding",
            subject=None,
            affected_from=first,
            detail=f"{len(good)} texts embedded by {stored.space}",
        )
