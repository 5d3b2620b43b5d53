"""Embeds what is pending, in small committed steps: it may be interrupted and goes on where it was."""

from __future__ import annotations

import time

from hybridkb.database import Connection, ids_parameter
from hybridkb.embedders.guard import Checked
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import EmbedderUnavailable
from hybridkb.ingest.embedding import embed_texts, keep_vectors
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.reports import EmbedReport, ProgressCallback
from hybridkb.records import join_text
from hybridkb.resident.packed import repack
from hybridkb.store.canonical import note_in_journal
from hybridkb.store.records import texts_shown
from hybridkb.vector.index import attach_records, records_without_row, use_space
from hybridkb.vector.spaces import StoredSpace, find_space, serve, stored_spaces

STEP_TEXTS = 128


def embed_pending(
    ingest: Ingest,
    *,
    progress: ProgressCallback | None = None,
    most_seconds: float | None = None,
    step_texts: int | None = None,
) -> EmbedReport:
    """Fill the space of the library's embedder; let it serve once nothing is pending there.

    Args:
        ingest: the library's write flow.
        progress: called with (texts done, texts that were pending).
        most_seconds: no further step begins after this time; None goes on to the end.
        step_texts: texts of one step, which is committed whole; None for the usual number.

    Raises:
        EmbedderUnavailable: there is no embedder, or it cannot be reached; what was embedded stays.
        EmbedderError: it fails every text.
    """
    started = time.monotonic()
    chosen = ingest.embedders.opened()
    if chosen.embedder is None or chosen.space is None:
        raise EmbedderUnavailable(f"nothing can be embedded: {chosen.reason}")
    stored = _ensure(ingest, chosen.space)
    with ingest.database.read() as connection:
        pending = connection.rows("vector/pending", {"space_no": stored.number})
    report = EmbedReport(space=str(chosen.space))
    size = step_texts or STEP_TEXTS
    for first in range(0, len(pending), size):
        step = pending[first : first + size]
        with ingest.database.read() as connection:
            texts = _texts(connection, [record_id for _, record_id in step])
        embedded = embed_texts(chosen.embedder, texts, required="model") if texts else None
        if embedded is not None:
            _store_step(ingest, stored, embedded.vectors)
            report.embedded += sum(not isinstance(vector, str) for vector in embedded.vectors.values())
            report.split_texts += embedded.split
            report.truncated_texts += embedded.truncated
        if progress is not None:
            progress(min(first + size, len(pending)), len(pending))
        if most_seconds is not None and time.monotonic() - started >= most_seconds:
            break
    _finish(ingest, stored, report)
    report.seconds = time.monotonic() - started
    return report


def _ensure(ingest: Ingest, space: EmbeddingSpace) -> StoredSpace:
    """Find or make the space. With a new one answers say what is pending, so the generation moves."""
    with ingest.database.read() as connection:
        known = find_space(connection, space)
    if known is not None and known.state != "retired":
        return known
    with ingest.database.write() as connection:
        connection.rows("state/next_generation")
        return use_space(connection, space)


def _texts(connection: Connection, record_ids: list[int]) -> dict[bytes, str]:
    rows = connection.rows("records/texts", ids_parameter(record_ids))
    return {text_hash: join_text(title, body) for title, body, text_hash in rows}


def _store_step(ingest: Ingest, stored: StoredSpace, vectors: dict[bytes, Checked]) -> None:
    def write(connection: Connection) -> None:
        generation = int(connection.value("state/next_generation"))
        shown = texts_shown(connection, list(vectors))  # what was purged meanwhile leaves no vector
        wanted = {text_hash: vector for text_hash, vector in vectors.items() if text_hash in shown}
        keep_vectors(connection, stored, wanted, generation=generation, now=ingest.clock())
        repack(connection)

    ingest.database.writing(write)


def _finish(ingest: Ingest, stored: StoredSpace, report: EmbedReport) -> None:
    """Count what is left; a space that is complete, but for texts the model cannot embed, begins to serve.

    One that served when this began and was retired meanwhile stays so: another took over on purpose.
    """
    with ingest.database.write() as connection:
        report.failed = tuple(connection.rows("vector/failures", {"space_no": stored.number}))
        report.pending = len(connection.rows("vector/pending", {"space_no": stored.number}))
        current = next(s for s in stored_spaces(connection) if s.number == stored.number)
        report.serving = current.state == "serving"
        if current.state != "building" or report.pending > len(report.failed):
            return
        generation = int(connection.value("state/next_generation"))
        attach_records(connection, stored, records_without_row(connection, stored))
        serve(connection, stored.number)
        repack(connection, at_least=1)
        report.serving = True
        note_in_journal(
            connection,
            now=ingest.clock(),
            kind="space",
            subject=None,
            affected_from=connection.value("records/first_of_all"),
            detail=f"{stored.space} serves from generation {generation} on",
        )
