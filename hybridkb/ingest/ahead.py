"""Embeds the texts of items before the items are put, in small committed steps.

The put then finds every vector by its text: words and vectors appear together, and what stood before serves until
then. A step that was committed is not done again, whatever happens to the put.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from hybridkb.database import Connection
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import EmbedderUnavailable, InvalidInput
from hybridkb.ingest.embedding import embed_texts, keep_vectors
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.reports import Embedded, EmbedReport, ProgressCallback
from hybridkb.knowledge import KnowledgeItem
from hybridkb.records import project
from hybridkb.resident.packed import repack
from hybridkb.vector.index import hashes_with_vector, is_retired, use_space
from hybridkb.vector.spaces import find_space


def embed_ahead(
    ingest: Ingest,
    items: Iterable[KnowledgeItem],
    *,
    batch: int,
    progress: ProgressCallback | None = None,
) -> EmbedReport:
    """Embed what the items would show and no vector stands for yet.

    Args:
        ingest: the library's write flow.
        items: not put yet, or put and waiting for vectors.
        batch: texts for one call of the model and one commit.
        progress: called with (texts done, texts to embed).

    Raises:
        InvalidInput: ``batch`` is less than 1, or an item holds no text.
        EmbedderUnavailable: there is no embedder, or it cannot be reached; what was committed stays.
        EmbedderError, MissingExtra: it fails every text, or is not installed.
    """
    if batch < 1:
        raise InvalidInput(f"a batch holds 1 text or more, not {batch}", field="batch")
    started = time.monotonic()
    chosen = ingest.embedders.opened()
    if chosen.embedder is None or chosen.space is None:
        raise EmbedderUnavailable(f"nothing can be embedded: {chosen.reason}")
    shown = {record.text_hash: record for item in items for record in project(item)}
    missing, retired = _missing(ingest, chosen.space, list(shown))
    report = EmbedReport(space=str(chosen.space), pending=len(missing))
    for first in range(0, len(missing), batch):
        step = {text_hash: shown[text_hash].text for text_hash in missing[first : first + batch]}
        embedded = _embed_step(ingest, chosen.embedder, chosen.space, step, retired=retired)
        failed = [(str(shown[one].locator), why) for one, why in embedded.vectors.items() if isinstance(why, str)]
        report.embedded += len(step) - len(failed)
        report.pending -= len(step) - len(failed)
        report.failed += tuple(failed)
        report.split_texts += embedded.split
        report.truncated_texts += embedded.truncated
        if progress is not None:
            progress(min(first + batch, len(missing)), len(missing))
    with ingest.database.read() as connection:
        stored = find_space(connection, chosen.space)
    report.serving = stored is not None and stored.state == "serving"
    report.seconds = time.monotonic() - started
    return report


def _missing(ingest: Ingest, space: EmbeddingSpace, hashes: list[bytes]) -> tuple[list[bytes], bool]:
    """The texts without a vector in the space, in order; and whether another space serves in its place."""
    with ingest.database.read() as connection:
        stored = find_space(connection, space)
        known = hashes_with_vector(connection, stored, hashes) if stored is not None else set()
        retired = is_retired(connection, space)
    return [text_hash for text_hash in hashes if text_hash not in known], retired


def _embed_step(
    ingest: Ingest, embedder: Embedder, space: EmbeddingSpace, texts: dict[bytes, str], *, retired: bool
) -> Embedded:
    """Embed outside any transaction, commit inside one; a space that was retired meanwhile stays so."""
    embedded = embed_texts(embedder, texts, required="model")

    def write(connection: Connection) -> None:
        generation = int(connection.value("state/next_generation"))
        outrun = find_space(connection, space) if not retired and is_retired(connection, space) else None
        stored = outrun or use_space(connection, space)
        keep_vectors(connection, stored, embedded.vectors, generation=generation, now=ingest.clock())
        repack(connection)

    ingest.database.writing(write)
    return embedded
