"""The write flow, start to end.

Everything slow (checking, projecting, embedding) happens outside the transaction. The
plan is made twice: once to know which texts need a vector, and again inside the write
transaction, since another process may have written in between.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal

from hybridkb.database import Connection, Database
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import HybridKBError, InvalidInput
from hybridkb.ingest.batch_write import Alongside, BatchWrite, Look, packing, shown_by, without_vector
from hybridkb.ingest.embedding import embed_texts
from hybridkb.ingest.plan import Plan, plan_puts
from hybridkb.ingest.prepare import Prepared, Seen, prepare, refuse_contradiction
from hybridkb.ingest.reports import Embedded, ProgressCallback, PutReport, Skipped
from hybridkb.ingest.uncollected import collected, uncollected
from hybridkb.lexical.packing import PACK_AFTER, due_at_rest
from hybridkb.lexical.vocabulary import TermWriter
from hybridkb.records import Record
from hybridkb.resident.packed import repack
from hybridkb.store.canonical import load_states
from hybridkb.store.embedders import EmbedderChoice, Readable
from hybridkb.store.settings import load_settings
from hybridkb.text import Analyser, shared_analyser
from hybridkb.vector.index import is_retired

BATCH_ITEMS = 1000
LEFT_FOR_LATER = "embedding was left for later"
OnError = Literal["raise", "skip"]


class Ingest:
    """Writes items into one database. Thread-safe: the database lends its writer to one thread at a time."""

    def __init__(
        self, database: Database, analyser: Analyser, embedders: EmbedderChoice, clock: Callable[[], int]
    ) -> None:
        """Keep what every write needs; ``clock`` gives microseconds since 1970 UTC."""
        self.database = database
        self.analyser = analyser
        self.embedders = embedders
        self.clock = clock
        self.terms = TermWriter(analyser.stem)

    def follow_language(self, connection: Connection) -> None:
        """Take the analyser of the library's language as the caller's write transaction sees it.

        Another process may have let an index in another language serve since the library was opened.
        """
        language = load_settings(connection).language
        if language != self.analyser.language:
            self.analyser = shared_analyser(language)
            self.terms = TermWriter(self.analyser.stem)

    def committed(self) -> None:
        """Keep what the transaction that was committed just now added to the vocabulary."""
        self.terms.committed()

    def put_many(
        self,
        items: Iterable[Any],
        *,
        progress: ProgressCallback | None = None,
        on_error: OnError = "raise",
        require_embeddings: bool = False,
        embed: bool = True,
    ) -> PutReport:
        """Put items in batches of 1,000, each all or nothing.

        Args:
            items: knowledge items; an iterator is read as it is needed.
            progress: called with (items done, items in all or None) after each batch.
            on_error: ``"raise"`` before anything of the batch is written, or ``"skip"`` the item and report it.
            require_embeddings: fail the batch when a text gets no vector.
            embed: False leaves all new texts pending, for ``embed_pending()``.

        Raises:
            InvalidInput: see ``on_error``; earlier batches stay written.
            EmbedderError: ``require_embeddings``, and the model failed.
            DatabaseError: the file could not be written.
        """
        total = len(items) if isinstance(items, Sequence) else None
        return self.put_placed(
            enumerate(items),
            total=total,
            progress=progress,
            on_error=on_error,
            require_embeddings=require_embeddings,
            embed=embed,
        )

    def put_placed(
        self,
        items: Iterable[tuple[int, Any]],
        *,
        total: int | None = None,
        progress: ProgressCallback | None = None,
        on_error: OnError = "raise",
        require_embeddings: bool = False,
        embed: bool = True,
        embed_at_most: int | None = None,
        alongside: Alongside | None = None,
    ) -> PutReport:
        """Put items that come with their positions, which reports and errors name; else as :meth:`put_many`.

        Args:
            items: positions and items.
            total: how many there are, for ``progress``.
            progress, on_error, require_embeddings, embed: as in :meth:`put_many`.
            embed_at_most: a batch with more new texts than this leaves them all pending.
            alongside: writes what belongs to the items of a batch into the same transaction.
        """
        if on_error not in ("raise", "skip"):
            raise InvalidInput(f'on_error is "raise" or "skip", not {on_error!r}', field="on_error")
        started = time.monotonic()
        report = PutReport()
        done = 0
        for batch in _batches(items):
            report.include(self._put_batch(batch, on_error, require_embeddings, embed, embed_at_most, alongside))
            done += len(batch)
            if progress is not None:
                progress(done, total)
        if report.records:
            self.pack_at_rest()
        report.seconds = time.monotonic() - started
        return report

    def pack_at_rest(self) -> None:
        """Pack a tail that every new process would read; in the middle of many batches that would be done too often."""
        with self.database.read() as connection:
            due = due_at_rest(connection)
        if due is not None:
            with self.database.write(committed=self.committed) as connection:
                connection.rows("state/next_generation")
                self.repack(connection, at_least=due)

    def repack(self, connection: Connection, *, at_least: int = PACK_AFTER) -> None:
        """Pack what is due in the caller's transaction, and keep what is known of the vocabulary."""
        before = packing(connection)
        if repack(connection, at_least=at_least):
            self.terms.repacked(before, packing(connection))

    def _put_batch(
        self,
        items: list[tuple[int, Any]],
        on_error: OnError,
        required: bool,
        embed: bool,
        embed_at_most: int | None,
        alongside: Alongside | None,
    ) -> PutReport:
        with uncollected():
            return self._put_all(items, on_error, required, embed, embed_at_most, alongside)

    def _put_all(
        self,
        items: list[tuple[int, Any]],
        on_error: OnError,
        required: bool,
        embed: bool,
        embed_at_most: int | None,
        alongside: Alongside | None,
    ) -> PutReport:
        skipped: list[Skipped] = []
        refuse = _collector(skipped) if on_error == "skip" else None
        prepared = _prepare_all(items, refuse)
        while True:
            chosen = self.embedders.opened()  # once, outside any transaction: it may have to ask a service
            look = self._first_look(prepared, chosen.space, refuse)
            refused = {one.position for one in skipped}
            prepared = [one for one in prepared if one.position not in refused]
            if not look.plan.fresh:
                if alongside is not None:
                    with self.database.write() as connection:
                        alongside(connection, int(connection.value("state/next_generation")), prepared)
                return self._report(look.plan, prepared, Embedded(), 0, 0, skipped)
            if look.retired and self.embedders.opened().space != chosen.space:
                continue
            now = embed and (embed_at_most is None or len(look.missing) <= embed_at_most)
            embedded = _embed(chosen, look.missing, required) if now else Embedded(degraded=LEFT_FOR_LATER)
            write = BatchWrite(self, prepared, look, chosen.space, embedded, alongside)
            written = self.database.writing(write, committed=self.committed)
            if written is None:
                continue  # another space began to serve in between: what is put is embedded for that one
            plan, records, still_missing = written
            return self._report(plan, prepared, embedded, records, still_missing, skipped)

    def _first_look(
        self,
        prepared: list[Prepared],
        space: EmbeddingSpace | None,
        refuse: Callable[[Prepared, InvalidInput], None] | None,
    ) -> Look:
        with self.database.read() as connection:
            generation, _ = connection.row("state/get") or (0, 0)
            states = load_states(connection, (one.item_id for one in prepared))
            plan = plan_puts(states, prepared, now=self.clock(), refuse=refuse)
            missing = without_vector(connection, space, shown_by(plan))
            return Look(generation, plan, missing, is_retired(connection, space))

    def _report(
        self,
        plan: Plan,
        prepared: list[Prepared],
        embedded: Embedded,
        records: int,
        still_missing: int,
        skipped: list[Skipped],
    ) -> PutReport:
        counts = Counter(plan.effects)
        texts = shown_by(plan)
        reasons = {text_hash: why for text_hash, why in embedded.vectors.items() if isinstance(why, str)}
        return PutReport(
            added=counts["added"],
            revised=counts["revised"],
            inserted=counts["inserted"],
            corrected=counts["corrected"],
            unchanged=counts["unchanged"],
            withdrawn=_withdrawn(plan, prepared),
            records=records,
            embedded=embedded.sent,
            reused=max(0, len(texts) - embedded.sent - still_missing) if records else 0,
            pending=still_missing,
            split_texts=embedded.split,
            truncated_texts=embedded.truncated,
            failed_texts=tuple(_failed(prepared, reasons)),
            degraded=embedded.degraded if still_missing else None,
            skipped=tuple(sorted(skipped, key=lambda one: one.position)),
        )


def _failed(prepared: list[Prepared], reasons: dict[bytes, str]) -> Iterator[tuple[str, str]]:
    """Each text that got no vector, by the locator of the last record that shows it, and why."""
    if reasons:
        shown = {record.text_hash: record.locator for one in prepared for record in one.records}
        yield from ((str(shown[text_hash]), why) for text_hash, why in reasons.items() if text_hash in shown)


def _batches(items: Iterable[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH_ITEMS)):
        yield batch


def _collector(skipped: list[Skipped]) -> Callable[[Prepared, InvalidInput], None]:
    return lambda one, error: skipped.append(Skipped(one.position, one.item_id, str(error)))


def _embed(chosen: Readable, missing: dict[bytes, Record], required: bool) -> Embedded:
    if chosen.embedder is None:
        if required:
            raise InvalidInput(f"require_embeddings was asked for, but {chosen.reason}", field="require_embeddings")
        return Embedded(degraded=chosen.reason)
    texts = {text_hash: record.text for text_hash, record in missing.items()}
    with collected():
        return embed_texts(chosen.embedder, texts, required="all" if required else "nothing")


def _prepare_all(
    items: list[tuple[int, Any]], refuse: Callable[[Prepared, InvalidInput], None] | None
) -> list[Prepared]:
    prepared: list[Prepared] = []
    seen: Seen = {}
    for position, item in items:
        try:
            one = prepare(item, position)
            refuse_contradiction(seen, one)
            prepared.append(one)
        except HybridKBError as error:
            if refuse is None or not isinstance(error, InvalidInput):
                raise
            refuse(_unreadable(item, position), error)
    return prepared


def _unreadable(item: Any, position: int) -> Prepared:
    return Prepared(position, str(getattr(item, "id", "")) or "", "", None, 0, b"", b"", "", ())


def _withdrawn(plan: Plan, prepared: list[Prepared]) -> tuple[str, ...]:
    ids = dict.fromkeys(one.item_id for one in prepared)
    return tuple(i for i in ids if i in plan.states and plan.states[i].withdrawn_since() is not None)
