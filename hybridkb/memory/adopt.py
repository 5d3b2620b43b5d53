"""A table of chunks of another program becomes cards: in place, without loss, and without embedding what has a vector.

Each slug becomes one card whose chunk ``n`` is the row ``chunk_idx = n``, so that what is judged by slug and number
stays judged. The table gets the five columns of provenance that it lacks, and keeps everything else as it is; later
ingests fill them in for the documents that they replace.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, Row
from hybridkb.embedders.guard import check_vector
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import HybridKBError, InvalidInput
from hybridkb.ingest import ProgressCallback
from hybridkb.ingest.embedding import keep_vectors
from hybridkb.ingest.pipeline import Ingest
from hybridkb.knowledge import Provenance
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.memory.adopted_cards import AdoptReport, CardReader, TableCard
from hybridkb.memory.adopted_tables import forget_table, remember_table
from hybridkb.memory.ingest import CARD_TYPE, WAIT_SECONDS
from hybridkb.memory.standing import is_same
from hybridkb.records import project
from hybridkb.vector.index import hashes_with_vector, use_space
from hybridkb.vector.spaces import find_space, stored_spaces

BATCH_CHUNKS = 500


def adopt_table(
    library: HybridLibrary,
    table: str = "public.blog_chunks",
    *,
    source: str | None = None,
    model: str | None = None,
    model_version: str = "1",
    progress: ProgressCallback | None = None,
    wait_seconds: float = WAIT_SECONDS,
) -> AdoptReport:
    """Make cards of a table of chunks in the library's database, and keep its provenance filled in from then on.

    May be interrupted, and run again: what is there already is left.

    Args:
        library: on PostgreSQL, open for writing.
        table: ``table`` or ``namespace.table``, with the columns ``slug``, ``chunk_idx``, ``text`` and perhaps
            ``embedding``.
        source: the class of trust of rows that do not say theirs; None leaves them without a provenance card until
            an ingest gives them one.
        model: the name of the model that made the vectors; None embeds anew (``embed_pending``). The vectors belong
            to the space of the library's embedder when that is of this name, else to a stored space of this name,
            else to a new one.
        model_version: of that new space.
        progress: called with (rows read, rows in all).
        wait_seconds: how long to wait for an ingest into the same library.

    Raises:
        InvalidInput: the library is a file, or the table cannot be one of chunks.
        DatabaseError: this role may not read the table or add columns to it.
        DatabaseBusy: an ingest did not end in time.
    """
    if source is not None:
        Provenance(source)
    started = time.monotonic()
    database = parts_of(library).database
    with database.job_lock("ingest", wait_seconds=wait_seconds):
        run = _Run(library, _name(library, table), source, model, model_version)
        run.work(progress)
    run.report.seconds = time.monotonic() - started
    return run.report


def abandon_table(library: HybridLibrary, table: str) -> bool:
    """Fill in a table's provenance no longer. Its columns and the cards stay; tells whether it was adopted."""
    name = _name(library, table)
    return parts_of(library).database.writing(lambda connection: forget_table(connection, *name))


def _name(library: HybridLibrary, table: str) -> tuple[str, str]:
    if parts_of(library).database.engine != "postgres":
        raise InvalidInput(
            f"{library.path} is a file, and tables are adopted where they are: in a PostgreSQL database; open the "
            "library there, and copy it to a file afterwards (hybridkb copy)",
            field="library",
        )
    from hybridkb.database.postgres_adopted import read_name  # the driver is an extra

    return read_name(table)


class _Run:
    """One adoption."""

    def __init__(
        self, library: HybridLibrary, name: tuple[str, str], source: str | None, model: str | None, version: str
    ) -> None:
        inventory = library.inventory(item_types=(CARD_TYPE,))
        self.report = AdoptReport(".".join(name))
        self._library = library
        self._ingest: Ingest = parts_of(library).ingest
        self._name = name
        self._uri = f"table:{'.'.join(name)}"
        held = {item.path: item for item in inventory.items}
        self._model, self._version = model, version
        self._reader = CardReader(self.report, held, self._uri, source, library.settings.zone, inventory.taken_at)
        self._slugs: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": [], "kept": []}
        self._space: EmbeddingSpace | None = None
        self._misfits = 0

    def work(self, progress: ProgressCallback | None) -> None:
        """Prepare the table, read it, and put its cards batch by batch."""
        from hybridkb.database import postgres_adopted as adopted
        from hybridkb.database.postgres_connection import PostgresConnection

        def prepare(connection: Connection) -> adopted.ChunkTable:
            assert isinstance(connection, PostgresConnection)
            table = adopted.find_table(connection, *self._name)
            adopted.add_columns(connection, table)
            remember_table(connection, *self._name)
            return table

        table = self._ingest.database.writing(prepare)
        self.report.columns_added = table.missing
        read, batch, size = 0, [], 0
        with self._ingest.database.read() as connection:
            assert isinstance(connection, PostgresConnection)
            total = adopted.count_rows(connection, table)
            for slug, rows in groupby(adopted.rows(connection, table), lambda row: row[0]):
                its = list(rows)
                read += len(its)
                card = self._card(slug, its)
                if card is not None:
                    batch.append(card)
                    size += len(its)
                if size >= BATCH_CHUNKS:
                    self._put(batch)
                    batch, size = [], 0
                    if progress is not None:
                        progress(read, total)
        self._put(batch)
        if progress is not None:
            progress(read, total)
        self._finish(table.embedding is not None)

    def _finish(self, has_vectors: bool) -> None:
        for name, slugs in self._slugs.items():
            setattr(self.report, name, tuple(slugs))
        if has_vectors and self._model is None and self.report.chunks:
            self.report.note("no model was named, so the vectors of the table were left; name it to keep them")
        if self._misfits:
            self.report.note(f"{self._misfits} vectors cannot be of {self._space}; their texts are pending")
        if self.report.pending:
            self.report.note(f"{self.report.pending} texts have no vector; run embed_pending() (hybridkb embed)")
        if self.report.vectors and self._space is not None and self._ingest.embedders.opened().space != self._space:
            self.report.note(
                f"the vectors are of {self._space}; open the library with that model to compare queries with them"
            )

    # --- one slug ------------------------------------------------------------------------------------------------

    def _card(self, slug: str | None, rows: list[Row]) -> TableCard | None:
        """What is to be put for a slug; None when nothing is, which the report says."""
        if slug is None:
            self.report.skip("slug NULL", f"{len(rows)} rows have no slug; give them one")
            return None
        try:
            card = self._reader.read(slug, rows)
        except (HybridKBError, ValueError) as error:
            self.report.skip(slug, str(error))
            return None
        held = card.held
        if held is not None and is_same(card.item, held):
            self._slugs["unchanged"].append(card.item.slug)
            return None
        if held is not None and self._library.get(held.item_id).source.uri != self._uri:
            self._slugs["kept"].append(card.item.slug)
            return None
        return card

    # --- writing -------------------------------------------------------------------------------------------------

    def _put(self, batch: list[TableCard]) -> None:
        """Keep the vectors of some cards, then put them; each transaction whole."""
        if not batch:
            return
        if self._model is not None:
            self._keep_vectors(batch)
        put = self._library.put_many([card.item for card in batch], embed=False, on_error="skip")
        failed = {one.position: one.reason for one in put.skipped}
        for position, card in enumerate(batch):
            if position in failed:
                self.report.skip(card.item.slug, failed[position])
            else:
                self._slugs["added" if card.held is None else "changed"].append(card.item.slug)
        self.report.chunks += put.records

        def pending(connection: Connection) -> int:
            space = None if self._space is None else find_space(connection, self._space)
            hashes = [one.text_hash for card in batch for one in project(card.item)]
            return len(set(hashes)) - (0 if space is None else len(hashes_with_vector(connection, space, hashes)))

        self.report.pending += self._ingest.database.reading(pending)

    def _keep_vectors(self, batch: Iterable[TableCard]) -> None:
        found: dict[bytes, NDArray[np.float32]] = {}
        for card in batch:
            for record in project(card.item):
                vector = card.vectors.get(record.locator.member_id or "")
                if vector is not None:
                    found.setdefault(record.text_hash, vector)
        if not found:
            return
        space = self._space = self._space or self._choose_space(len(next(iter(found.values()))))
        checked = {text_hash: check_vector(vector, space.dimensions) for text_hash, vector in found.items()}
        good = {text_hash: vector for text_hash, vector in checked.items() if not isinstance(vector, str)}
        self._misfits += len(checked) - len(good)

        def keep(connection: Connection) -> int:
            generation = int(connection.value("state/next_generation"))
            stored = use_space(connection, space)
            known = hashes_with_vector(connection, stored, list(good))
            fresh = {text_hash: vector for text_hash, vector in good.items() if text_hash not in known}
            keep_vectors(connection, stored, fresh, generation=generation, now=self._ingest.clock())
            return len(fresh)

        if good:
            self.report.vectors += self._ingest.database.writing(keep)

    def _choose_space(self, dimensions: int) -> EmbeddingSpace:
        """The space that the named model's vectors belong to."""
        assert self._model is not None
        opened = self._ingest.embedders.opened().space
        if opened is not None and opened.model == self._model:
            return opened
        stored = [one.space for one in self._ingest.database.reading(stored_spaces) if one.space.model == self._model]
        return stored[-1] if stored else EmbeddingSpace(self._model, dimensions, self._version)
