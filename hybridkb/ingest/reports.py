"""What a write did, in numbers, and everything that was skipped, split or left for later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any
from uuid import UUID

from hybridkb.embedders.guard import Checked

ProgressCallback = Callable[[int, int | None], None]
"""Called with (done, total); total is None when it is not known."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was left out of a batch, and why.

    Attributes:
        position: its place in the input, counted from 0.
        item_id: its id, when it had a readable one.
        reason: what is wrong and how to mend it.
    """

    position: int
    item_id: str | None
    reason: str


@dataclass(slots=True)
class PutReport:
    """What a put did.

    Attributes:
        added: items that the library did not hold.
        revised: new revisions, available later than all before.
        inserted: revisions put where they belong between or before others.
        corrected: revisions replaced (same availability, or availability unknown until now).
        unchanged: items that were there already; nothing was written for them.
        withdrawn: ids of items put whose newest state stays withdrawn.
        records: records written.
        embedded: texts sent to the embedder.
        reused: texts whose vector was there already.
        pending: texts of this put that have no vector in the library's space yet.
        split_texts: texts longer than the model reads, embedded in windows and averaged.
        truncated_texts: texts of which the model did not read the end.
        failed_texts: (locator, reason) of texts whose vector was unusable; their words are searchable.
        degraded: why there are no vectors, if there are none.
        skipped: what was left out (``on_error="skip"``).
        seconds: time taken.
    """

    added: int = 0
    revised: int = 0
    inserted: int = 0
    corrected: int = 0
    unchanged: int = 0
    withdrawn: tuple[str, ...] = ()
    records: int = 0
    embedded: int = 0
    reused: int = 0
    pending: int = 0
    split_texts: int = 0
    truncated_texts: int = 0
    failed_texts: tuple[tuple[str, str], ...] = ()
    degraded: str | None = None
    skipped: tuple[Skipped, ...] = ()
    seconds: float = 0.0

    @property
    def written(self) -> int:
        """Revisions written."""
        return self.added + self.revised + self.inserted + self.corrected

    def include(self, other: PutReport) -> None:
        """Add a later batch to this report."""
        for entry in fields(self):
            mine, theirs = getattr(self, entry.name), getattr(other, entry.name)
            setattr(self, entry.name, _sum(entry.name, mine, theirs))


@dataclass(frozen=True, slots=True)
class ArtifactReport:
    """What became of one artifact of a paper that was put.

    Attributes:
        artifact_id: under which it is stored: the id of an earlier one where that was made in the same way from the
            same, and stays.
        kind: what it is.
        effect: ``"added"``, ``"unchanged"``, or what the table of puts did with it as its source changed.
        current: whether searches see it.
    """

    artifact_id: UUID
    kind: str
    effect: str
    current: bool


@dataclass(frozen=True, slots=True)
class PaperReport:
    """What putting a paper did.

    Attributes:
        source_id: the paper.
        effect: of its source: ``"added"``, ``"revised"``, ``"inserted"``, ``"corrected"`` or ``"unchanged"``.
        artifacts: those that were put, in order: chunk set, summary, tree.
        siblings: how many other stored artifacts followed their source.
        withdrawn: whether the paper stays withdrawn, so that searches do not see it now.
        blobs, blob_bytes: how many blobs were stored that were not there, and their bytes.
        records: records written.
        embedded: texts sent to the embedder.
        reused: texts whose vector was there already.
        pending: texts that have no vector in the library's space yet.
        split_texts: texts longer than the model reads, embedded in windows and averaged.
        truncated_texts: texts of which the model did not read the end.
        failed_texts: (locator, reason) of texts whose vector was unusable; their words are searchable.
        degraded: why there are no vectors, if there are none.
        seconds: time taken.
    """

    source_id: UUID
    effect: str
    artifacts: tuple[ArtifactReport, ...]
    siblings: int
    withdrawn: bool
    blobs: int
    blob_bytes: int
    records: int
    embedded: int
    reused: int
    pending: int
    split_texts: int
    truncated_texts: int
    failed_texts: tuple[tuple[str, str], ...]
    degraded: str | None
    seconds: float


@dataclass(slots=True)
class EmbedReport:
    """What catching up on vectors did.

    Attributes:
        embedded: texts that have a vector now.
        failed: (locator, reason) of texts whose vector was unusable; they stay pending.
        pending: texts without a vector in the embedder's space afterwards.
        space: the space that was filled.
        serving: whether that space answers searches now.
        split_texts, truncated_texts: as in :class:`PutReport`.
        seconds: time taken.
    """

    embedded: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    pending: int = 0
    space: str = ""
    serving: bool = False
    split_texts: int = 0
    truncated_texts: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Embedded:
    """Vectors of new texts, ready to be stored, and how they came about."""

    vectors: dict[bytes, Checked] = field(default_factory=dict)
    sent: int = 0
    split: int = 0
    truncated: int = 0
    degraded: str | None = None


def _sum(name: str, mine: Any, theirs: Any) -> Any:
    if name == "degraded":
        return mine or theirs
    return mine + theirs
