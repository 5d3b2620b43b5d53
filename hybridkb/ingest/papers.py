"""Puts a paper: its source, its blobs and all that was made of it, with records, words and vectors, or nothing.

Embedding happens outside the transaction. The plan is made twice, as for other items; where another process wrote so
that a required text has no vector yet, it begins again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from hybridkb.database import Connection
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import EmbedderUnavailable
from hybridkb.ingest.batch_write import shown_by, without_vector
from hybridkb.ingest.embedding import embed_texts, keep_vectors
from hybridkb.ingest.paper_checks import check_result
from hybridkb.ingest.paper_current import note_current
from hybridkb.ingest.paper_plan import PaperPlan, plan_paper
from hybridkb.ingest.paper_times import with_known_times
from hybridkb.ingest.pipeline import LEFT_FOR_LATER, Ingest
from hybridkb.ingest.reports import ArtifactReport, Embedded, PaperReport, ProgressCallback, PutReport
from hybridkb.ingest.write import carry_out
from hybridkb.knowledge.paper_result import PaperFlowResult
from hybridkb.resident.packed import repack
from hybridkb.store.canonical import ItemState
from hybridkb.store.embedders import Readable
from hybridkb.store.papers import (
    add_blobs,
    erase_unused_blobs,
    mend_blob,
    note_source_revision,
    put_artifact,
    set_current,
)
from hybridkb.store.records import texts_without_vector
from hybridkb.vector.index import is_retired, use_space

MakePlan = Callable[[Connection, int], PaperPlan]
"""Plans a put as a connection's transaction sees the library, at a time of the library's clock."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What was planned, and what was written of it."""

    paper: PaperPlan
    report: PutReport
    blobs: int = 0
    blob_bytes: int = 0


Shown = tuple[str, str]
"""The locator of a record that shows a text, and the text."""


def put_paper(
    ingest: Ingest, result: PaperFlowResult, *, require_embeddings: bool, progress: ProgressCallback | None = None
) -> PaperReport:
    """Store what a flow made of a paper.

    Args:
        ingest: the library's write flow.
        result: of the flow.
        require_embeddings: fail whole when a text gets no vector, also one that an earlier put left pending; without an
            embedder, words are all there is.
        progress: called with (texts embedded, texts to embed).

    Raises:
        InvalidInput: something in the result does not fit; nothing was written.
        EmbedderError: ``require_embeddings``, and a text got no vector; nothing was written.
        DatabaseError: the file could not be written.
    """
    started = time.monotonic()
    checked = check_result(result)

    def make(connection: Connection, now: int) -> PaperPlan:
        source = with_known_times(connection, checked.source)
        return plan_paper(connection, source, checked.artifacts, checked.blobs, now=now)

    stored = store_planned(ingest, make, required=require_embeddings, progress=progress)
    if stored.report.records:
        ingest.pack_at_rest()
    return _paper_report(stored, time.monotonic() - started)


def store_planned(
    ingest: Ingest,
    make: MakePlan,
    *,
    required: bool = False,
    embed: bool = True,
    progress: ProgressCallback | None = None,
) -> Stored:
    """Embed what a plan needs, then carry it out in one transaction."""
    while True:
        chosen = ingest.embedders.opened()  # once, outside any transaction: it may have to ask a service
        with ingest.database.read() as connection:
            paper = make(connection, ingest.clock())
            missing = _without_vector(connection, chosen.space, paper)
            retired = is_retired(connection, chosen.space)
        if not paper.changes_anything and not missing:
            return Stored(paper, _put_report(paper, Embedded(), 0, {}))
        if retired and ingest.embedders.opened().space != chosen.space:
            continue
        embedded = _embed(ingest, chosen, missing, required, progress) if embed else Embedded(degraded=LEFT_FOR_LATER)
        write = partial(_write_unless_outrun, ingest, make, chosen, embedded, retired, required)
        stored = ingest.database.writing(write, committed=ingest.committed)
        if stored is not None:
            return stored


def _write_unless_outrun(
    ingest: Ingest,
    make: MakePlan,
    chosen: Readable,
    embedded: Embedded,
    retired: bool,
    required: bool,
    connection: Connection,
) -> Stored | None:
    """Plan and write in the caller's transaction; None when what another process did asks for a new look."""
    if not retired and is_retired(connection, chosen.space):
        return None  # another space began to serve in between: what is put is embedded for that one
    paper = make(connection, ingest.clock())
    if required and chosen.embedder is not None and _lacks(connection, chosen.space, paper, embedded):
        return None  # another process wrote in between, and more has to be embedded than was known
    return _write(ingest, connection, paper, chosen.space, embedded)


def _embed(
    ingest: Ingest,
    chosen: Readable,
    missing: Mapping[bytes, Shown],
    required: bool,
    progress: ProgressCallback | None,
) -> Embedded:
    if chosen.embedder is None:
        if required and missing and ingest.embedders.configured:
            raise EmbedderUnavailable(f"the paper was not stored, since its texts cannot be embedded: {chosen.reason}")
        return Embedded(degraded=chosen.reason)
    texts = {text_hash: text for text_hash, (_, text) in missing.items()}
    return embed_texts(chosen.embedder, texts, required="all" if required else "nothing", progress=progress)


def _without_vector(connection: Connection, space: EmbeddingSpace | None, paper: PaperPlan) -> dict[bytes, Shown]:
    """Texts that need a vector: new ones, and those that an earlier put of the same artifacts left pending."""
    fresh = without_vector(connection, space, shown_by(paper.plan))
    needed = {text_hash: (str(record.locator), record.text) for text_hash, record in fresh.items()}
    if space is None:
        return needed
    return texts_without_vector(connection, space, (one.stored_id for one in paper.outcomes)) | needed


def _lacks(connection: Connection, space: EmbeddingSpace | None, paper: PaperPlan, embedded: Embedded) -> bool:
    return bool(_without_vector(connection, space, paper).keys() - embedded.vectors.keys())


def _write(
    ingest: Ingest, connection: Connection, paper: PaperPlan, space: EmbeddingSpace | None, embedded: Embedded
) -> Stored:
    """Carry a plan out in the caller's write transaction."""
    now = ingest.clock()
    ingest.follow_language(connection)
    generation = int(connection.value("state/next_generation"))
    ingest.terms.begin(int(connection.row("state/get")[1]))  # type: ignore[index]
    if space is not None:
        keep_vectors(connection, use_space(connection, space), embedded.vectors, generation=generation, now=now)
    for name in paper.damaged & paper.blobs.keys():
        mend_blob(connection, name, paper.blobs[name])
    blobs, blob_bytes = add_blobs(connection, paper.blobs)
    for row in paper.replaced.values():
        set_current(connection, row.item_no, False, generation)
    records = carry_out(
        connection, paper.plan, analyser=ingest.analyser, terms=ingest.terms, generation=generation, now=now
    )
    _write_paper_rows(connection, paper, generation, now)
    erase_unused_blobs(connection)
    still_missing = _without_vector(connection, space, paper)
    repack(connection)
    return Stored(paper, _put_report(paper, embedded, records, still_missing), blobs, blob_bytes)


def _write_paper_rows(connection: Connection, paper: PaperPlan, generation: int, now: int) -> None:
    """What stands beside the items: which blobs are used, whose the artifacts are, which are current."""
    state = paper.source_state
    if paper.effect != "unchanged":
        wanted = next(one for one in paper.plan.fresh.values() if one.item_id == state.item_id).available_at
        number = next(one.revision_no for one in state.revisions if one.available_at == wanted)
        note_source_revision(connection, number, paper.source)
    for write in paper.writes:
        its = paper.plan.states[str(write.artifact.id)]
        put_artifact(
            connection, write.artifact, item_no=its.item_no, source_no=state.item_no, members=write.members,
            current=write.current,
        )  # fmt: skip
        if write.is_new:
            _withdraw_with_source(connection, its, now)
        else:
            set_current(connection, its.item_no, write.current, generation)
    for row in paper.replaced.values():
        current = next(one.stored_id for one in paper.outcomes if one.kind == row.kind)
        note_current(connection, state, row.kind, current, row.artifact_id, now)


def _withdraw_with_source(connection: Connection, state: ItemState, now: int) -> None:
    for at in state.withdrawals:
        connection.rows("canonical/insert_withdrawal", {"item_no": state.item_no, "at": at, "recorded_at": now})


def _put_report(paper: PaperPlan, embedded: Embedded, records: int, still_missing: Mapping[bytes, Shown]) -> PutReport:
    counts = Counter(paper.plan.effects)
    shown = shown_by(paper.plan).keys()
    failed = [
        (still_missing[text_hash][0], why)
        for text_hash, why in embedded.vectors.items()
        if isinstance(why, str) and text_hash in still_missing
    ]
    withdrawn = paper.source_state.withdrawn_since() is not None
    return PutReport(
        added=counts["added"],
        revised=counts["revised"],
        inserted=counts["inserted"],
        corrected=counts["corrected"],
        unchanged=counts["unchanged"],
        withdrawn=(paper.source_state.item_id,) if withdrawn else (),
        records=records,
        embedded=embedded.sent,
        reused=len(shown - embedded.vectors.keys() - still_missing.keys()) if records else 0,
        pending=len(still_missing),
        split_texts=embedded.split,
        truncated_texts=embedded.truncated,
        failed_texts=tuple(failed),
        degraded=embedded.degraded if still_missing else None,
    )


def _paper_report(stored: Stored, seconds: float) -> PaperReport:
    paper, report = stored.paper, stored.report
    put = {paper.source_state.item_id, *(one.stored_id for one in paper.outcomes)}
    siblings = {one.item_id for one in paper.plan.fresh.values()} - put
    return PaperReport(
        source_id=paper.source.id,
        effect=paper.effect,
        artifacts=tuple(
            ArtifactReport(UUID(one.stored_id), one.kind, one.effect, one.current) for one in paper.outcomes
        ),
        siblings=len(siblings),
        withdrawn=bool(report.withdrawn),
        blobs=stored.blobs,
        blob_bytes=stored.blob_bytes,
        records=report.records,
        embedded=report.embedded,
        reused=report.reused,
        pending=report.pending,
        split_texts=report.split_texts,
        truncated_texts=report.truncated_texts,
        failed_texts=report.failed_texts,
        degraded=report.degraded,
        seconds=seconds,
    )
