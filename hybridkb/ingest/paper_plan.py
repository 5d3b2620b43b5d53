"""What putting a paper does: the table of puts for its source and for all that was made of it, and what is current.

An artifact has a revision for each revision of its source, with that one's times. So a later, earlier or corrected put
of the source reaches every stored artifact, also those that are not put again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hybridkb.database import Connection
from hybridkb.errors import BrokenInvariant, InvalidInput
from hybridkb.ingest.paper_checks import check_cited, check_sizes
from hybridkb.ingest.plan import Effect, Plan, add_put
from hybridkb.ingest.prepare import prepare_artifact, prepare_source
from hybridkb.knowledge.paper_artifacts import PaperArtifact, PaperChunkSet, PaperGlobalSummary
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.records.paper_projection import PaperContext, paper_context
from hybridkb.store.canonical import ItemState, StoredRevision, load_item, load_states
from hybridkb.store.papers import ArtifactRow, artifacts_of, held_blobs, made_by, sound_blobs

ArtifactEffect = Literal["added", "revised", "inserted", "corrected", "unchanged"]


@dataclass(frozen=True, slots=True)
class ArtifactOutcome:
    """How an artifact of the put came out; ``stored_id`` is another one's where that stands for the same."""

    stored_id: str
    kind: str
    effect: ArtifactEffect
    current: bool


@dataclass(frozen=True, slots=True)
class ArtifactWrite:
    """Rows of an artifact to write; ``is_new`` inserts them, else they are brought up to its content."""

    artifact: PaperArtifact
    members: int
    is_new: bool
    current: bool = True


@dataclass(slots=True)
class PaperPlan:
    """What one put of a paper will do.

    Attributes:
        plan: what happens to the items: the source and its artifacts.
        source: the paper.
        effect: how its put came out.
        blobs: bytes to keep; damaged: those of them that are stored damaged.
        writes: rows of artifacts to write.
        replaced: by kind, the artifact that is current no longer.
        outcomes: of the artifacts of the put, in order.
    """

    plan: Plan
    source: PaperSourceRevision
    effect: Effect
    blobs: Mapping[str, bytes]
    damaged: frozenset[str] = frozenset()
    writes: list[ArtifactWrite] = field(default_factory=list)
    replaced: dict[str, ArtifactRow] = field(default_factory=dict)
    outcomes: list[ArtifactOutcome] = field(default_factory=list)

    @property
    def source_state(self) -> ItemState:
        """The paper as it will be."""
        return self.plan.states[str(self.source.id)]

    @property
    def changes_anything(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.plan.fresh or self.blobs)


def plan_paper(
    connection: Connection,
    source: PaperSourceRevision,
    artifacts: Iterable[PaperArtifact],
    blobs: Mapping[str, bytes],
    *,
    now: int,
) -> PaperPlan:
    """Decide what a put of a checked paper does, as the connection's transaction sees the library.

    Args:
        connection: open for reading.
        source: the paper.
        artifacts: what was made of it; stored ones that are not named follow the source all the same.
        blobs: bytes by name; those that the library holds may be left out.
        now: the library's clock, microseconds since 1970 UTC.

    Raises:
        InvalidInput: bytes are nowhere, something was made from what is nowhere, or the table of puts refuses it.
        BrokenInvariant: what is stored of the paper is damaged.
    """
    return _Planner(connection, source, list(artifacts), blobs, now).made()


class _Planner:
    def __init__(
        self,
        connection: Connection,
        source: PaperSourceRevision,
        artifacts: list[PaperArtifact],
        blobs: Mapping[str, bytes],
        now: int,
    ) -> None:
        self._connection = connection
        self._source = source
        self._source_id = str(source.id)
        self._artifacts = artifacts
        self._blobs = blobs
        self._now = now
        self._rows = artifacts_of(connection, self._source_id)
        ids = [self._source_id, *(row.artifact_id for row in self._rows), *(str(one.id) for one in artifacts)]
        self._states = load_states(connection, ids)
        self._contexts: dict[int | None, tuple[PaperSourceRevision, PaperContext]] = {}
        self._renewed = False

    def made(self) -> PaperPlan:
        self._check_lineage()
        before = self._states.get(self._source_id)
        stood_out = self._withdrawn_alone(before)
        replaced = self._replaced_context(before)
        plan = Plan(self._states)
        effect = add_put(plan, prepare_source(self._source, 0), now=self._now)
        self._renewed = effect == "corrected" and replaced not in (None, paper_context(self._source))
        paper = PaperPlan(plan, self._source, effect, *self._blobs_to_keep())
        taken = {self._put(paper, artifact) for artifact in self._artifacts}
        for row in self._rows:
            if row.artifact_id not in taken:
                self._follow(paper, row, stood_out.get(row.artifact_id))
        return paper

    # --- checks that need the library --------------------------------------------------------------------------

    def _check_lineage(self) -> None:
        given = {one.id: one for one in self._artifacts}
        held = {row.artifact_id for row in self._rows}
        for artifact in self._artifacts:
            for ancestor in artifact.lineage:
                if str(ancestor) in held:
                    continue
                if ancestor not in given:
                    raise InvalidInput(
                        f"the {artifact.item_type} {artifact.id} was made from {ancestor}, which is neither put with "
                        "it nor held of the same paper",
                        field="lineage",
                    )
                same = self._same(given[ancestor])
                if same is not None:
                    raise InvalidInput(
                        f"the {artifact.item_type} {artifact.id} was made from {ancestor}, in whose place the library "
                        f"keeps {same.artifact_id}, of the same configuration and other content; make it from that "
                        "one, or give what makes it otherwise another producer_version",
                        field="lineage",
                    )
            if isinstance(artifact, PaperGlobalSummary):
                origin = given.get(artifact.chunk_set_id) or self._stored(str(artifact.chunk_set_id))
                if not isinstance(origin, PaperChunkSet):
                    raise InvalidInput(
                        f"the paper_summary {artifact.id} cites {artifact.chunk_set_id}, which is no chunk set",
                        field="chunk_set_id",
                    )
                check_cited(artifact, origin)

    def _blobs_to_keep(self) -> tuple[dict[str, bytes], frozenset[str]]:
        """What the library lacks, and what it holds damaged."""
        held = held_blobs(self._connection, self._source.blobs)
        sizes = sound_blobs(self._connection, held)
        check_sizes(self._source, sizes)
        sound = sizes.keys()
        lacking = sorted(self._source.blobs - sound)
        nowhere = [name for name in lacking if name not in self._blobs]
        if nowhere:
            raise InvalidInput(
                f"the bytes of {nowhere[0]} are neither in the result's blobs nor in the library; give all that "
                "source.blobs names",
                field="blobs",
            )
        return {name: self._blobs[name] for name in lacking}, frozenset(held - sound)

    # --- artifacts ---------------------------------------------------------------------------------------------

    def _put(self, paper: PaperPlan, artifact: PaperArtifact) -> str:
        """Plan one artifact of the put; returns the id under which it is stored."""
        same = self._same(artifact)
        if same is not None:
            effect = self._put_again(paper, same, self._wanting(paper, same), current=same.current)
            paper.outcomes.append(ArtifactOutcome(same.artifact_id, same.kind, effect, same.current))
            return same.artifact_id
        artifact_id = str(artifact.id)
        known = next((row for row in self._rows if row.artifact_id == artifact_id), None)
        effect = self._mirror(paper, artifact, paper.source_state.revisions, current=True)
        if known is None:
            paper.plan.states[artifact_id].withdrawals = list(paper.source_state.withdrawals)
        members = len(next(one.records for one in paper.plan.fresh.values() if one.item_id == artifact_id))
        paper.writes.append(ArtifactWrite(artifact, members, known is None))
        before = next((row for row in self._rows if row.kind == artifact.item_type and row.current), None)
        if before is not None and before is not known:
            paper.replaced[before.kind] = before
        paper.outcomes.append(ArtifactOutcome(artifact_id, artifact.item_type, effect, current=True))
        return artifact_id

    def _same(self, artifact: PaperArtifact) -> ArtifactRow | None:
        """The stored artifact that is the same, whatever it says."""
        return next((row for row in self._rows if row.made_by == made_by(artifact)), None)

    def _wanting(self, paper: PaperPlan, row: ArtifactRow) -> list[StoredRevision]:
        """The source's revisions that are new, or that the stored artifact does not have."""
        state = paper.plan.states.get(row.artifact_id)
        held = {revision.available_at for revision in state.revisions} if state is not None else set()
        return [one for one in paper.source_state.revisions if one.revision_no < 0 or one.available_at not in held]

    def _follow(self, paper: PaperPlan, row: ArtifactRow, until: int | None) -> None:
        """Let a stored artifact that is not put again follow its source, ``until`` it was withdrawn alone."""
        fresh = [revision for revision in paper.source_state.revisions if revision.revision_no < 0]
        if until is not None:
            fresh = [one for one in fresh if one.available_at is not None and one.available_at <= until]
        self._put_again(paper, row, fresh, current=row.current and row.kind not in paper.replaced)

    def _put_again(
        self, paper: PaperPlan, row: ArtifactRow, revisions: Sequence[StoredRevision], *, current: bool
    ) -> ArtifactEffect:
        return self._mirror(paper, self._newest(row), revisions, current=current) if revisions else "unchanged"

    def _mirror(
        self, paper: PaperPlan, artifact: PaperArtifact, revisions: Sequence[StoredRevision], *, current: bool
    ) -> ArtifactEffect:
        """Plan a revision of the artifact for each of these revisions of the source."""
        effects: list[ArtifactEffect] = []
        for revision in revisions:
            source, context = self._context(revision)
            times = {"available_at": source.available_at, "as_of": source.as_of, "source": source.source}
            same = all(getattr(artifact, name) == value for name, value in times.items())
            prepared = prepare_artifact(
                artifact if same else artifact.model_copy(update=times), context, len(paper.plan.effects),
                current=current, renewed=self._renewed and revision.revision_no < 0,
            )  # fmt: skip
            effects.append(add_put(paper.plan, prepared, now=self._now))
        return next((effect for effect in effects if effect != "unchanged"), "unchanged")

    # --- what is stored ----------------------------------------------------------------------------------------

    def _stored(self, artifact_id: str) -> PaperArtifact | None:
        row = next((row for row in self._rows if row.artifact_id == artifact_id), None)
        return None if row is None else self._newest(row)

    def _newest(self, row: ArtifactRow) -> PaperArtifact:
        state = self._states.get(row.artifact_id)
        stored = [revision for revision in state.revisions if revision.revision_no > 0] if state is not None else []
        if not stored:
            raise BrokenInvariant(f"artifact {row.artifact_id} has no revision; run check()")
        item = load_item(self._connection, row.artifact_id, stored[-1].revision_no)
        if not isinstance(item, PaperArtifact):
            raise BrokenInvariant(f"artifact {row.artifact_id} is stored as a {item.item_type}; run check()")
        return item

    def _context(self, revision: StoredRevision) -> tuple[PaperSourceRevision, PaperContext]:
        """The state of the paper, and what its artifacts show of it."""
        if revision.revision_no < 0:
            return self._source, paper_context(self._source)
        if revision.available_at not in self._contexts:
            source = load_item(self._connection, self._source_id, revision.revision_no)
            if not isinstance(source, PaperSourceRevision):
                raise BrokenInvariant(f"source {self._source_id} is stored as a {source.item_type}; run check()")
            self._contexts[revision.available_at] = (source, paper_context(source))
        return self._contexts[revision.available_at]

    def _replaced_context(self, before: ItemState | None) -> PaperContext | None:
        """What artifacts show of the revision that has the same availability as the one that is put."""
        wanted = prepare_source(self._source, 0).available_at
        found = [one for one in before.revisions if one.available_at == wanted] if before is not None else []
        return self._context(found[0])[1] if found else None

    def _withdrawn_alone(self, before: ItemState | None) -> dict[str, int]:
        """Stored artifacts that were withdrawn before their source was, and since when.

        They do not come back with it; what is put about the time before reaches them all the same.
        """
        with_source = None if before is None else before.withdrawn_since()
        alone: dict[str, int] = {}
        for row in self._rows:
            state = self._states.get(row.artifact_id)
            since = None if state is None else state.withdrawn_since()
            if since is not None and (with_source is None or since < with_source):
                alone[row.artifact_id] = since
        return alone
