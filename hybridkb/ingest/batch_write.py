"""The write of one batch: everything that happens in its transaction, as often as the engine wants it.

What was found before is used when nobody wrote in between. The numbers of rows are written into its plan, so that it
serves one attempt; every other makes a plan of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hybridkb.database import Connection
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.ingest.embedding import keep_vectors
from hybridkb.ingest.plan import Plan, plan_puts
from hybridkb.ingest.prepare import Prepared
from hybridkb.ingest.reports import Embedded
from hybridkb.ingest.write import carry_out
from hybridkb.records import Record
from hybridkb.store.canonical import load_states
from hybridkb.vector.index import hashes_with_vector, is_retired, use_space
from hybridkb.vector.spaces import find_space

if TYPE_CHECKING:
    from hybridkb.ingest.pipeline import Ingest

Alongside = Callable[[Connection, int, Sequence[Prepared]], None]
"""Called in the transaction of a batch, after its items, with the generation and the items that were not skipped.
Called again when the engine undid the transaction."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a batch finds before anything is embedded.

    Attributes:
        generation: of the file that it looked at.
        plan: what is to be done.
        missing: records whose text has no vector in the space, by text hash.
        retired: whether that space serves no longer.
    """

    generation: int
    plan: Plan
    missing: dict[bytes, Record]
    retired: bool


class BatchWrite:
    """Writes one batch in the caller's transaction; to be called again when the engine undid that."""

    def __init__(
        self,
        ingest: Ingest,
        prepared: list[Prepared],
        look: Look,
        space: EmbeddingSpace | None,
        embedded: Embedded,
        alongside: Alongside | None,
    ) -> None:
        """Keep what is to be written, and what was found before."""
        self._ingest = ingest
        self._prepared = prepared
        self._look = look
        self._unused = True
        self._space = space
        self._embedded = embedded
        self._alongside = alongside

    def __call__(self, connection: Connection) -> tuple[Plan, int, int] | None:
        """Write the batch.

        Returns its plan, the records written and how many texts have no vector; None when another space began to
        serve since the look, and nothing was written.
        """
        if not self._look.retired and is_retired(connection, self._space):
            return None
        plan, records, generation = self._write(connection)
        if self._alongside is not None:
            self._alongside(connection, generation, self._prepared)
        still_missing = len(without_vector(connection, self._space, shown_by(plan)))
        self._ingest.repack(connection)
        return plan, records, still_missing

    def _write(self, connection: Connection) -> tuple[Plan, int, int]:
        now, ingest = self._ingest.clock(), self._ingest
        ingest.follow_language(connection)
        generation = int(connection.value("state/next_generation"))
        ingest.terms.begin(packing(connection))
        plan = self._plan(connection, generation, now)
        if self._space is not None:
            stored = use_space(connection, self._space)
            keep_vectors(connection, stored, self._embedded.vectors, generation=generation, now=now)
        records = carry_out(
            connection, plan, analyser=ingest.analyser, terms=ingest.terms, generation=generation, now=now
        )
        return plan, records, generation

    def _plan(self, connection: Connection, generation: int, now: int) -> Plan:
        unused, self._unused = self._unused, False
        if unused and generation == self._look.generation + 1:  # nobody wrote in between
            return self._look.plan
        return plan_puts(load_states(connection, (one.item_id for one in self._prepared)), self._prepared, now=now)


def packing(connection: Connection) -> int:
    """The packing that the transaction sees."""
    row = connection.row("state/get")
    assert row is not None
    return int(row[1])


def without_vector(
    connection: Connection, space: EmbeddingSpace | None, shown: dict[bytes, Record]
) -> dict[bytes, Record]:
    """Of records by text hash, those whose text has no vector in the space of the library's embedder."""
    stored = find_space(connection, space) if space is not None else None
    if stored is None:
        return shown
    known = hashes_with_vector(connection, stored, list(shown))
    return {text_hash: record for text_hash, record in shown.items() if text_hash not in known}


def shown_by(plan: Plan) -> dict[bytes, Record]:
    """The plan's new records by the hash of the text that they show; of equal texts the last."""
    return {record.text_hash: record for one in plan.fresh.values() for record in one.records}
