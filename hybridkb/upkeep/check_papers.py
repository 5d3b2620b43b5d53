"""Papers: are the bytes those of their names, and do the rows beside the items say what the items say?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hybridkb.database import Connection
from hybridkb.errors import HybridKBError, InvalidInput
from hybridkb.ingest.prepare import Prepared, prepare, prepare_artifact, prepare_source
from hybridkb.knowledge import KnowledgeItem
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.records.paper_projection import PaperContext, paper_context, without_version
from hybridkb.store.canonical import decode_payload
from hybridkb.store.paper_reading import artifact_fault
from hybridkb.store.papers import ArtifactRow, blob_fault, named_artifacts
from hybridkb.upkeep.finding import Finding

_STEP = 500
_MOST_SOURCES = 16


class StoredPapers:
    """What is kept beside the items of papers, read for one step of items after the other."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: dict[str, ArtifactRow] = {}
        self._sources: dict[tuple[str, int | None], PaperSourceRevision | None] = {}

    def begin(self, item_ids: Iterable[str]) -> None:
        """Read what is kept of these items."""
        self._rows = named_artifacts(self._connection, item_ids)

    def expected(self, item: KnowledgeItem, available_at: int | None) -> Prepared:
        """What a put of a stored item would write.

        Raises:
            InvalidInput: nothing, or its source was not there at that time.
            UnregisteredType: nothing says how it is searched.
        """
        if isinstance(item, PaperSourceRevision):
            return prepare_source(item, 0)
        if not isinstance(item, PaperArtifact):
            return prepare(item, 0)
        row = self._rows.get(str(item.id))
        return prepare_artifact(item, self._context(item, available_at), 0, current=row is not None and row.current)

    def findings(self, item: KnowledgeItem, revision_no: int, expected: Prepared) -> Iterator[Finding]:
        """Compare what is kept beside one revision with the item itself."""
        if isinstance(item, PaperSourceRevision):
            yield from self._source_findings(item, revision_no)
        elif isinstance(item, PaperArtifact):
            yield from self._artifact_findings(item, expected)

    def row(self, item_id: str) -> ArtifactRow | None:
        """What is kept of an artifact."""
        return self._rows.get(item_id)

    def _source_findings(self, source: PaperSourceRevision, revision_no: int) -> Iterator[Finding]:
        row = self._connection.row("papers/paper_revision", {"revision_no": revision_no})
        paper = None if source.arxiv_id is None else without_version(source.arxiv_id)
        if row is not None and row != (source.title, source.arxiv_id, paper):
            yield Finding("paper_altered", "title or arXiv id are not those of the paper", str(source.id))
        held = {name for (name,) in self._connection.rows("papers/blobs_of_revision", {"revision_no": revision_no})}
        if row is not None and held != source.blobs:
            yield Finding("blob_use_altered", "the blobs kept for it are not those that it names", str(source.id))

    def _artifact_findings(self, artifact: PaperArtifact, expected: Prepared) -> Iterator[Finding]:
        row = self._rows.get(str(artifact.id))
        if row is None:
            return  # artifact_without_row names it
        fault = artifact_fault(artifact, row)
        if fault is not None:
            yield Finding("artifact_altered", fault, str(artifact.id))
        if row.members != len(expected.records):
            yield Finding(
                "artifact_altered",
                f"{row.members} records are kept for it, it has {len(expected.records)}",
                row.artifact_id,
            )
        source = self._source(str(artifact.source_id), expected.available_at)
        if source is not None and (source.as_of, source.source) != (artifact.as_of, artifact.source):
            yield Finding("artifact_altered", "its times or its source are not those of the paper", row.artifact_id)

    def _context(self, artifact: PaperArtifact, available_at: int | None) -> PaperContext:
        source = self._source(str(artifact.source_id), available_at)
        if source is None:
            raise InvalidInput(
                f"the {artifact.item_type} {artifact.id} has a revision at an instant at which its source "
                f"{artifact.source_id} has none, or none that can be read",
                field="source_id",
            )
        return paper_context(source)

    def _source(self, source_id: str, available_at: int | None) -> PaperSourceRevision | None:
        """The paper as it became available at an instant; None when it cannot be read."""
        key = (source_id, available_at)
        if key not in self._sources:
            if len(self._sources) >= _MOST_SOURCES:
                self._sources.clear()
            self._sources[key] = self._read_source(source_id, available_at)
        return self._sources[key]

    def _read_source(self, source_id: str, available_at: int | None) -> PaperSourceRevision | None:
        bindings = {"item_id": source_id, "available_at": available_at}
        row = self._connection.row("papers/source_payload", bindings)
        if row is None:
            return None
        try:
            item = decode_payload(row[2], source_id)
        except HybridKBError:
            return None  # the source's own row is found damaged
        return item if isinstance(item, PaperSourceRevision) else None


def blob_findings(connection: Connection) -> Iterator[Finding]:
    """Compare every blob with its name."""
    after = ""
    while names := [name for (name,) in connection.rows("papers/all_blobs", {"after": after, "limit": _STEP})]:
        for name in names:
            row = connection.row("papers/blob", {"sha256": name})
            fault = None if row is None else blob_fault(name, *row)
            if fault is not None:
                yield Finding("blob_damaged", f"the blob {fault}", f"blob {name}")
        after = names[-1]
