"""Papers in the reference: what was made of one mirrors its source, and one of each kind is seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from hybridkb.errors import InvalidInput, NotFound
from hybridkb.knowledge import KnowledgeItem
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_result import PaperFlowResult
from hybridkb.knowledge.paper_source import PaperSourceRevision
from oracles.timeline import Story, Timeline, instant_of


@dataclass
class Shelf:
    """One paper: its artifacts in the order in which they were stored, and by kind the one that is seen."""

    artifacts: list[PaperArtifact] = field(default_factory=list)
    current: dict[str, UUID] = field(default_factory=dict)


class Papers:
    """Every paper of a timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self.shelves: dict[UUID, Shelf] = {}

    def put(self, result: PaperFlowResult) -> None:
        """Put the source by the table of puts, add what was made in another way, and let everything follow."""
        self._timeline.put(result.source)
        shelf = self.shelves.setdefault(result.source.id, Shelf())
        for artifact in result.artifacts:
            if any(made_by(one) == made_by(artifact) for one in shelf.artifacts):
                continue
            if any(one.id == artifact.id for one in shelf.artifacts):
                shelf.artifacts = [artifact if one.id == artifact.id else one for one in shelf.artifacts]
            else:
                shelf.artifacts.append(artifact)
            shelf.current[artifact.item_type] = artifact.id
        self._follow(result.source.id)

    def delete(self, source_id: UUID) -> None:
        """Follow a source that was withdrawn, or is gone because nothing was known of its times."""
        if source_id in self._timeline.stories:
            self._follow(source_id)
        else:
            self._forget(source_id)

    def purge(self, item_id: UUID) -> None:
        """Follow a source that was purged, or let the newest other artifact take the place of one."""
        if item_id in self.shelves:
            self._forget(item_id)
            return
        for shelf in self.shelves.values():
            for gone in [one for one in shelf.artifacts if one.id == item_id]:
                shelf.artifacts.remove(gone)
                if shelf.current[gone.item_type] == item_id:
                    left = [one.id for one in shelf.artifacts if one.item_type == gone.item_type]
                    shelf.current.pop(gone.item_type)
                    if left:
                        shelf.current[gone.item_type] = left[-1]

    def make_current(self, item_id: UUID) -> None:
        """Let another artifact be seen."""
        for shelf in self.shelves.values():
            for artifact in shelf.artifacts:
                if artifact.id == item_id:
                    story = self._timeline.stories[item_id]
                    last = instant_of(story.revisions[-1])
                    if any(last is not None and at >= last for at in story.withdrawn):
                        raise InvalidInput("it is withdrawn")
                    shelf.current[artifact.item_type] = item_id
                    return
        raise NotFound("no such artifact", target=str(item_id))

    def is_seen(self, item: KnowledgeItem) -> bool:
        """Whether searches see it without naming it."""
        if not isinstance(item, PaperArtifact):
            return True
        return self.shelves[item.source_id].current.get(item.item_type) == item.id

    def source_of(self, artifact: PaperArtifact) -> PaperSourceRevision:
        """The source as it became available together with this revision of an artifact."""
        for source in self._timeline.stories[artifact.source_id].revisions:
            if source.available_at == artifact.available_at and isinstance(source, PaperSourceRevision):
                return source
        raise AssertionError("an artifact has the times of its source")

    def _follow(self, source_id: UUID) -> None:
        story = self._timeline.stories[source_id]
        for artifact in self.shelves[source_id].artifacts:
            revisions: list[KnowledgeItem] = [
                artifact.model_copy(update={"available_at": one.available_at, "as_of": one.as_of, "source": one.source})
                for one in sorted(story.revisions, key=lambda one: instant_of(one) or 0)
            ]
            self._timeline.stories[artifact.id] = Story(artifact.item_type, revisions, set(story.withdrawn))

    def _forget(self, source_id: UUID) -> None:
        for artifact in self.shelves.pop(source_id).artifacts:
            self._timeline.stories.pop(artifact.id, None)


def made_by(artifact: PaperArtifact) -> tuple[object, ...]:
    """What makes an artifact the same as another one, whatever it says."""
    return artifact.item_type, artifact.extraction.config_hash, artifact.parse_hash, artifact.lineage
