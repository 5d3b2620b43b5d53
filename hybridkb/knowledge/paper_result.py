"""A paper as a flow hands it over, and as a library gives it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from hybridkb.knowledge.paper_artifacts import PaperArtifact, PaperChunkSet, PaperGlobalSummary, PaperTree
from hybridkb.knowledge.paper_source import PaperSourceRevision


@dataclass(frozen=True, slots=True)
class PaperFlowResult:
    """Everything one run of the flow made; ``HybridLibrary.put_paper`` stores it.

    Attributes:
        source: the exact paper.
        chunk_set: its passages.
        summary: None only where the configuration asked for none.
        tree: its sections; None only where the configuration asked for none.
        blobs: the bytes that ``source.blobs`` names, by SHA-256 in hexadecimal.
    """

    source: PaperSourceRevision
    chunk_set: PaperChunkSet
    summary: PaperGlobalSummary | None
    tree: PaperTree | None
    blobs: Mapping[str, bytes] = field(repr=False)

    @property
    def artifacts(self) -> tuple[PaperArtifact, ...]:
        """The artifacts that are there: chunk set, summary, tree."""
        return tuple(one for one in (self.chunk_set, self.summary, self.tree) if one is not None)


@dataclass(frozen=True, slots=True)
class ArtifactSummary:
    """One stored artifact, without its content.

    Attributes:
        artifact_id: its id. kind: what it is.
        producer, producer_version, model, config_hash: what made it.
        members: how many records it has.
        current: whether searches see it.
        recorded_at: when the library was told of it (UTC).
    """

    artifact_id: UUID
    kind: str
    producer: str
    producer_version: str
    model: str | None
    config_hash: str
    members: int
    current: bool
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Paper:
    """A stored paper with what searches see of it.

    Attributes:
        source: the exact paper.
        chunk_set, summary, tree: the current ones; None when there is none.
        artifacts: every artifact of this source, also those that are not current, by kind, newest first.
    """

    source: PaperSourceRevision
    chunk_set: PaperChunkSet | None
    summary: PaperGlobalSummary | None
    tree: PaperTree | None
    artifacts: tuple[ArtifactSummary, ...]
