"""Makes the rows that stand beside the items of papers anew: what they are listed by, their blobs, their lineage.

Which artifact is current stays as it was chosen; where that was lost, the newest stored is.
"""

from __future__ import annotations

from hybridkb.database import Connection
from hybridkb.errors import BrokenInvariant
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.store.canonical import decode_payload, load_state
from hybridkb.store.papers import held_blobs, note_source_revision, put_artifact
from hybridkb.upkeep.check_papers import StoredPapers

_STEP = 200


def remake_paper_rows(connection: Connection) -> None:
    """Make them anew inside the caller's write transaction, before records are made.

    Raises:
        BrokenInvariant: a paper, a blob or what was made of a paper is not there or damaged.
    """
    connection.rows("papers/clear_blob_uses")
    connection.rows("papers/clear_paper_revisions")
    connection.rows("papers/clear_lineage")
    connection.rows("papers/clear_orphans")
    after = 0
    while rows := connection.rows("papers/all_source_revisions", {"after": after, "limit": _STEP}):
        for revision_no, item_id, payload in rows:
            _remake_source(connection, revision_no, item_id, payload)
        after = rows[-1][0]
    papers, after = StoredPapers(connection), 0
    while rows := connection.rows("papers/all_artifacts", {"after": after, "limit": _STEP}):
        for item_no, item_id, available_at, payload in rows:
            _remake_artifact(connection, papers, item_no, decode_payload(payload, item_id), available_at)
        after = rows[-1][0]
    for (item_no,) in connection.rows("papers/none_current"):
        connection.rows("papers/set_current", {"item_no": item_no, "current": 1})


def _remake_source(connection: Connection, revision_no: int, item_id: str, payload: bytes) -> None:
    source = decode_payload(payload, item_id)
    if not isinstance(source, PaperSourceRevision):
        raise BrokenInvariant(f"item {item_id} is a paper and is stored as a {source.item_type}; restore a copy")
    missing = source.blobs - held_blobs(connection, source.blobs)
    if missing:
        sentence = f"blob {min(missing)} of paper {item_id} is missing"
        raise BrokenInvariant(
            f"{sentence}, so nothing was rebuilt; put the paper again from its file", findings=[sentence]
        )
    note_source_revision(connection, revision_no, source)


def _remake_artifact(
    connection: Connection, papers: StoredPapers, item_no: int, artifact: object, available_at: int | None
) -> None:
    source = None if not isinstance(artifact, PaperArtifact) else load_state(connection, str(artifact.source_id))
    if not isinstance(artifact, PaperArtifact) or source is None:
        raise BrokenInvariant(f"the paper of which item number {item_no} was made is not there; restore a copy")
    members = len(papers.expected(artifact, available_at).records)
    put_artifact(connection, artifact, item_no=item_no, source_no=source.item_no, members=members, current=False)
