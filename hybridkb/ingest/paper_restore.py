"""Puts papers back as an export has them: bytes, each revision of each source and artifact, and what is current."""

from __future__ import annotations

from typing import TypeAlias

from hybridkb.database import Connection
from hybridkb.errors import InvalidInput
from hybridkb.ingest.paper_checks import check_blobs
from hybridkb.ingest.paper_current import make_current
from hybridkb.ingest.paper_plan import PaperPlan, plan_paper, plan_restored
from hybridkb.ingest.papers import store_planned
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.reports import PutReport
from hybridkb.knowledge.blob_lines import BlobCollector, BlobPart
from hybridkb.knowledge.json_lines import CurrentArtifact
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision

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
