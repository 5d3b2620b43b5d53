"""Puts papers back as an export has them: bytes, each revision of each source and artifact, and what is current."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from hybridkb.database import Connection
from hybridkb.errors import InvalidInput
from hybridkb.ingest.paper_checks import check_artifact, check_blobs, check_cited
from hybridkb.ingest.paper_current import make_current
from hybridkb.ingest.paper_plan import ArtifactWrite, PaperPlan, plan_paper
from hybridkb.ingest.papers import store_planned
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.plan import Plan, add_put
from hybridkb.ingest.prepare import prepare_artifact
from hybridkb.ingest.reports import PutReport
from hybridkb.knowledge.blob_lines import BlobCollector, BlobPart
from hybridkb.knowledge.json_lines import CurrentArtifact
from hybridkb.knowledge.paper_artifacts import PaperArtifact, PaperChunkSet, PaperGlobalSummary
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.times import to_microseconds
from hybridkb.records.paper_projection import paper_context
from hybridkb.store.canonical import load_item, load_state, load_states
from hybridkb.store.papers import ArtifactRow, artifacts_of, made_by

PaperEntry: TypeAlias = PaperSourceRevision | PaperArtifact | BlobPart | CurrentArtifact
PAPER_ENTRIES = (PaperSourceRevision, PaperArtifact, BlobPart, CurrentArtifact)


class PaperRestore:
    """Takes the lines of papers one after the other; bytes wait in memory for the paper that names them."""

    def __init__(self, ingest: Ingest, *, embed: bool) -> None:
        """Keep the write flow; ``embed=False`` leaves new texts pending."""
        self._ingest = ingest
        self._embed = embed
        self._blobs = BlobCollector()

    def take(self, entry: PaperEntry) -> PutReport:
        """Store what one line says.

        Raises:
            InvalidInput: it does not fit what the library holds; nothing of it was written.
            NotFound: an artifact that is to be current is not held.
        """
        if isinstance(entry, BlobPart):
            self._blobs.add(entry)
            return PutReport()
        if isinstance(entry, CurrentArtifact):
            make_current(self._ingest, str(entry.id), withdrawn_too=True)
            return PutReport()
        return self._source(entry) if isinstance(entry, PaperSourceRevision) else self._artifact(entry)

    def _source(self, source: PaperSourceRevision) -> PutReport:
        blobs = {name: data for name, data in self._blobs.whole.items() if name in source.blobs}
        check_blobs(source, blobs)

        def make(connection: Connection, now: int) -> PaperPlan:
            return plan_paper(connection, source, (), blobs, now=now)

        report = store_planned(self._ingest, make, embed=self._embed).report
        self._blobs.whole.clear()  # of an earlier paper that could not be stored as well
        return report

    def _artifact(self, artifact: PaperArtifact) -> PutReport:
        if type(artifact) is PaperArtifact:
            raise InvalidInput(f"{artifact.id} is no kind of artifact", field="item_type")
        return store_planned(
            self._ingest, lambda connection, now: plan_restored(connection, artifact, now=now), embed=self._embed
        ).report


def plan_restored(connection: Connection, artifact: PaperArtifact, *, now: int) -> PaperPlan:
    """Decide what putting back one revision of an artifact does, as an export has it.

    The first of its kind is current until a line says otherwise.

    Raises:
        InvalidInput: its paper is not held as it stood then, or the table of puts refuses it.
        BrokenInvariant: what is stored of the paper is damaged.
    """
    source_id, artifact_id = str(artifact.source_id), str(artifact.id)
    states = load_states(connection, [source_id, artifact_id])
    available_at = None if artifact.available_at is None else to_microseconds(artifact.available_at)
    held = states[source_id].revisions if source_id in states else []
    then = next((one.revision_no for one in held if one.available_at == available_at), None)
    source = None if then is None else load_item(connection, source_id, then)
    times = (artifact.as_of, artifact.source)
    if not isinstance(source, PaperSourceRevision) or (source.as_of, source.source) != times:
        raise InvalidInput(
            f"the {artifact.item_type} {artifact_id} was made of {source_id}, which the library does not hold as it "
            "stood then; restore that first",
            field="source_id",
        )
    rows = artifacts_of(connection, source_id)
    _refuse_lost_lineage(connection, artifact, rows)
    own = next((row for row in rows if row.artifact_id == artifact_id), None)
    current = own.current if own is not None else all(row.kind != artifact.item_type for row in rows)
    if artifact.parse_hash == source.parse_hash:  # of another reading of the pages nothing is left to compare with
        check_artifact(artifact, source)
    if isinstance(artifact, PaperGlobalSummary):
        _check_cited_as_held(connection, artifact)
    plan = Plan(states)
    prepared = prepare_artifact(artifact, paper_context(source), 0, current=current)
    paper = PaperPlan(plan, source, "unchanged", {})
    if add_put(plan, prepared, now=now) != "unchanged":
        paper.writes.append(ArtifactWrite(artifact, len(prepared.records), own is None, current))
    if own is not None and own.made_by != made_by(artifact):
        _make_alike(connection, plan, artifact, current=current, now=now)
    return paper


def _make_alike(connection: Connection, plan: Plan, artifact: PaperArtifact, *, current: bool, now: int) -> None:
    """Plan that every stored revision of an artifact names what it was made from as the one that is put back does.

    Its id names what it says alone: the library may have made the same from another reading of the pages.
    """
    numbers = {one.available_at: one.revision_no for one in plan.states[str(artifact.source_id)].revisions}
    for revision in list(plan.states[str(artifact.id)].revisions):
        source = load_item(connection, str(artifact.source_id), numbers[revision.available_at])
        if revision.revision_no > 0 and isinstance(source, PaperSourceRevision):
            times = {"available_at": source.available_at, "as_of": source.as_of, "source": source.source}
            then = artifact.model_copy(update=times)
            prepared = prepare_artifact(then, paper_context(source), len(plan.effects), current=current)
            add_put(plan, prepared, now=now)


def _check_cited_as_held(connection: Connection, summary: PaperGlobalSummary) -> None:
    """Its chunk set is held, unless it was purged since."""
    state = load_state(connection, str(summary.chunk_set_id))
    if state is not None:
        origin = load_item(connection, state.item_id, state.revisions[-1].revision_no)
        if not isinstance(origin, PaperChunkSet):
            raise InvalidInput(
                f"the paper_summary {summary.id} cites {state.item_id}, which is no chunk set", field="chunk_set_id"
            )
        check_cited(summary, origin)


def _refuse_lost_lineage(connection: Connection, artifact: PaperArtifact, rows: Iterable[ArtifactRow]) -> None:
    """An ancestor is held, or its tombstone says where it went."""
    held = {row.artifact_id for row in rows}
    for ancestor in map(str, artifact.lineage):
        if ancestor not in held and connection.row("canonical/tombstone", {"item_id": ancestor}) is None:
            raise InvalidInput(
                f"the {artifact.item_type} {artifact.id} was made from {ancestor}, which the library does not hold; "
                "restore that first",
                field="lineage",
            )
