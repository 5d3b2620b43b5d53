"""Lets what was prepared in a copy of the library take the place of what serves, in one transaction.

Readers go on with the old index until it commits, and with the new one after it; killing it leaves the old one.
Nothing canonical is taken from the copy: knowledge that arrived in the meantime stays, and is indexed in the new way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hybridkb.database import Connection
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import BrokenInvariant, InvalidInput
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.reports import ProgressCallback
from hybridkb.resident.packed import repack
from hybridkb.store.canonical import note_in_journal
from hybridkb.store.records import log_texts_embedded, texts_shown
from hybridkb.store.settings import LibrarySettings, change_settings, load_settings
from hybridkb.upkeep.rebuild import rebuild_within
from hybridkb.vector.index import attach_records, insert_vectors, records_without_row, use_space
from hybridkb.vector.spaces import StoredSpace, serve

Embedded = tuple[bytes, bytes]
"""Hash of a text, and its vector as the file keeps it."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to serve.

    Attributes:
        settings: language, ranking and fusion; None leaves them. Another language takes ``rebuild``.
        rebuild: make every derived row anew.
        space: the embedding space; None leaves the one that serves.
        why: what it rests on, for the audit.
    """

    settings: LibrarySettings | None = None
    rebuild: bool = False
    space: EmbeddingSpace | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What was taken over.

    Attributes:
        records: records made anew.
        vectors: vectors taken over.
        pending: distinct texts without a vector in the space taken over; 0 when the space stays.
    """

    records: int
    vectors: int
    pending: int


def take_over(
    ingest: Ingest,
    change: Change,
    *,
    vectors: Iterable[Sequence[Embedded]] = (),
    failures: Iterable[tuple[bytes, str]] = (),
    first: Callable[[Connection], None] | None = None,
    last: Callable[[Connection], None] | None = None,
    progress: ProgressCallback | None = None,
) -> TakenOver:
    """Change settings, rebuild, and let another space serve: all of it or nothing.

    Args:
        ingest: of the library that serves.
        change: what is to serve.
        vectors: vectors of the space, in blocks; those of texts that no record shows are passed over.
        failures: texts that the model cannot embed, and why.
        first, last: called in the transaction before and after everything else; what they raise ends it.
        progress: of a rebuild, called with (revisions done, revisions in all).

    Raises:
        InvalidInput: another language without a rebuild.
        BrokenInvariant, UnregisteredType: as :func:`hybridkb.upkeep.rebuild.rebuild`; nothing was changed.
    """
    records = taken = pending = 0
    with ingest.database.write(committed=ingest.committed) as connection:
        if first is not None:
            first(connection)
        if change.settings is not None:
            _change(connection, ingest, change, change.settings)
        if change.rebuild:
            _, records = rebuild_within(connection, ingest, progress=progress)
        if change.space is not None:
            taken, pending = _serve(connection, ingest, change.space, vectors, failures, change.why)
        if last is not None:
            last(connection)
    return TakenOver(records, taken, pending)


def _change(connection: Connection, ingest: Ingest, change: Change, settings: LibrarySettings) -> None:
    if settings.language != load_settings(connection).language and not change.rebuild:
        raise InvalidInput("words in another language have to be made anew: rebuild as well", field="language")
    change_settings(connection, settings, now=ingest.clock(), why=change.why)


def _serve(
    connection: Connection,
    ingest: Ingest,
    space: EmbeddingSpace,
    vectors: Iterable[Sequence[Embedded]],
    failures: Iterable[tuple[bytes, str]],
    why: str,
) -> tuple[int, int]:
    """Take vectors over and let their space serve; returns how many there were, and how many texts have none."""
    generation = int(connection.value("state/next_generation"))
    stored = use_space(connection, space)
    taken = sum(_take(connection, stored, block, generation) for block in vectors)
    _note_failures(connection, stored, list(failures))
    attach_records(connection, stored, records_without_row(connection, stored))
    serve(connection, stored.number)
    repack(connection, at_least=1)
    note_in_journal(
        connection,
        now=ingest.clock(),
        kind="space",
        subject=None,
        affected_from=connection.value("records/first_of_all"),
        detail=f"{space} serves from generation {generation} on; {why}",
    )
    return taken, int(connection.value("vector/count_pending", {"space_no": stored.number}))


def _take(connection: Connection, stored: StoredSpace, block: Sequence[Embedded], generation: int) -> int:
    shown = texts_shown(connection, [text_hash for text_hash, _ in block])
    rows = [(text_hash, vector) for text_hash, vector in block if text_hash in shown]
    if any(len(vector) != 2 * stored.space.dimensions for _, vector in rows):
        raise BrokenInvariant("a vector of the candidate has the wrong size; make the candidate again")
    insert_vectors(connection, stored, rows)
    connection.many("vector/forget_failure", ((stored.number, text_hash) for text_hash, _ in rows))
    log_texts_embedded(connection, [text_hash for text_hash, _ in rows], generation)
    return len(rows)


def _note_failures(connection: Connection, stored: StoredSpace, failures: Sequence[tuple[bytes, str]]) -> None:
    shown = texts_shown(connection, [text_hash for text_hash, _ in failures])
    connection.many(
        "vector/insert_failure",
        ((stored.number, text_hash, reason) for text_hash, reason in failures if text_hash in shown),
    )
