"""Rows of papers beside their items: blobs, whose an artifact is, what it was made from, which one is current.

Papers and artifacts themselves are items; times, history, withdrawal and purging are theirs. Everything here is written
inside the caller's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from hybridkb.database import Connection, Row, ids_parameter
from hybridkb.errors import BrokenInvariant, NotFound
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision, blob_name
from hybridkb.records.paper_projection import without_version

SOURCE_TYPE = "paper_source"
PAPER_TYPES = frozenset({SOURCE_TYPE, "paper_chunk_set", "paper_summary", "paper_tree"})


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """One artifact as it is kept.

    Attributes:
        item_no, artifact_id: its item.
        source_no, source_id: the item of its paper.
        kind: what it is.
        config_hash: names producer and configuration.
        input_hash: names what it was made from (:func:`input_hash`).
        members: how many records it gives.
        current: whether searches see it.
        lineage: ids of the artifacts it was made from.
    """

    item_no: int
    artifact_id: str
    source_no: int
    source_id: str
    kind: str
    config_hash: str
    input_hash: str
    members: int
    current: bool
    lineage: tuple[str, ...]

    @property
    def made_by(self) -> tuple[str, str, str]:
        """Kind, configuration and input: an artifact that is equal in these is the same, whatever it says."""
        return self.kind, self.config_hash, self.input_hash


def made_by(artifact: PaperArtifact) -> tuple[str, str, str]:
    """Kind, configuration and input of an artifact; see :attr:`ArtifactRow.made_by`."""
    return artifact.item_type, artifact.extraction.config_hash or "", input_hash(artifact)


def input_hash(artifact: PaperArtifact) -> str:
    """Name what an artifact was made from: the paper's text, and other artifacts (SHA-256 in hexadecimal)."""
    made_from = [artifact.parse_hash, *(str(one) for one in artifact.lineage)]
    return sha256(json.dumps(made_from, separators=(",", ":")).encode()).hexdigest()


# --- artifacts -------------------------------------------------------------------------------------------------


def artifacts_of(connection: Connection, source_id: str) -> list[ArtifactRow]:
    """The artifacts of a paper in the order in which they were stored."""
    return [_artifact(row) for row in connection.rows("papers/artifacts_of_source", {"source_id": source_id})]


def named_artifacts(connection: Connection, item_ids: Iterable[str]) -> dict[str, ArtifactRow]:
    """Those of the items that are artifacts, by id."""
    wanted = {"ids": json.dumps(sorted(set(item_ids)))}
    return {row[1]: _artifact(row) for row in connection.rows("papers/named_artifacts", wanted)}


def artifact_row(connection: Connection, item_id: str) -> ArtifactRow | None:
    """One artifact; None when there is none with this id."""
    return named_artifacts(connection, [item_id]).get(item_id)


def put_artifact(
    connection: Connection, artifact: PaperArtifact, *, item_no: int, source_no: int, members: int, current: bool
) -> None:
    """Bring an artifact's rows up to its content; its item is there. ``current`` is heeded only where it has no row."""
    kind, config_hash, made_from = made_by(artifact)
    columns = {
        "item_no": item_no, "source_no": source_no, "kind": kind, "config_hash": config_hash, "input_hash": made_from,
        "members": members, "current": int(current),
    }  # fmt: skip
    connection.rows("papers/put_artifact", columns)
    connection.rows("papers/delete_lineage", {"item_no": item_no})
    lineage = enumerate(artifact.lineage)
    connection.many("papers/insert_lineage", ((item_no, place, str(one)) for place, one in lineage))


def forget_artifact(connection: Connection, item_no: int) -> None:
    """Remove an artifact's rows; those of other items are left alone."""
    connection.rows("papers/delete_lineage", {"item_no": item_no})
    connection.rows("papers/delete_artifact", {"item_no": item_no})


def set_current(connection: Connection, item_no: int, current: bool, generation: int) -> None:
    """Let searches see an artifact, or no longer; the one that was current before must have been unset."""
    bindings = {"item_no": item_no, "current": int(current)}
    connection.rows("papers/set_current", bindings)
    connection.rows("papers/set_record_current", bindings)
    if connection.changes():
        ids = [row[0] for row in connection.rows("papers/records_of_item", {"item_no": item_no})]
        connection.many("resident/log_change", ((generation, record_id) for record_id in ids))


def papers_of(connection: Connection, owners: Sequence[bytes]) -> list[bytes]:
    """The owners of locators, the paper in place of what was made of it."""
    artifacts = {owner.removeprefix(b"artifact:").decode() for owner in owners if owner.startswith(b"artifact:")}
    if not artifacts:
        return list(owners)
    rows = connection.rows("papers/sources_of_artifacts", {"ids": json.dumps(sorted(artifacts))})
    sources = {b"artifact:" + artifact.encode(): b"source:" + source.encode() for artifact, source in rows}
    return [sources.get(owner, owner) for owner in owners]


def descendants(connection: Connection, artifact_id: str) -> list[str]:
    """Ids of the artifacts that were made from this one."""
    return [row[0] for row in connection.rows("papers/descendants", {"ancestor_id": artifact_id})]


def _artifact(row: Row) -> ArtifactRow:
    *columns, current, lineage = row
    names = (*columns, bool(current), tuple(json.loads(lineage)))
    return ArtifactRow(*names)


# --- sources and blobs -----------------------------------------------------------------------------------------


def note_source_revision(connection: Connection, revision_no: int, source: PaperSourceRevision) -> None:
    """Keep what a revision of a paper is looked up by, and which blobs it needs; the blobs are there."""
    arxiv_id = source.arxiv_id
    connection.rows(
        "papers/insert_paper_revision",
        {
            "revision_no": revision_no,
            "title": source.title,
            "arxiv_id": arxiv_id,
            "arxiv_paper": None if arxiv_id is None else without_version(arxiv_id),
        },
    )
    connection.many("papers/insert_blob_use", ((revision_no, name) for name in sorted(source.blobs)))


def forget_revisions(connection: Connection, revision_nos: Iterable[int]) -> None:
    """Remove what is kept of revisions of papers; others have nothing here."""
    ids = ids_parameter(revision_nos)
    connection.rows("papers/delete_blob_uses", ids)
    connection.rows("papers/delete_paper_revisions", ids)


def add_blobs(connection: Connection, blobs: Mapping[str, bytes]) -> tuple[int, int]:
    """Keep bytes under their names; returns how many were not there yet, and their bytes."""
    held = held_blobs(connection, blobs)
    fresh = [(name, len(data), data) for name, data in blobs.items() if name not in held]
    connection.many("papers/insert_blob", fresh)
    return len(fresh), sum(size for _, size, _ in fresh)


def held_blobs(connection: Connection, names: Iterable[str]) -> set[str]:
    """For which of the names there are bytes."""
    return {row[0] for row in connection.rows("papers/held_blobs", {"names": json.dumps(sorted(names))})}


def sound_blobs(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    """Those of the names whose stored bytes are whole, and how many bytes they are."""
    sizes: dict[str, int] = {}
    for name in names:
        row = connection.row("papers/blob", {"sha256": name})
        if row is not None and blob_fault(name, *row) is None:
            sizes[name] = row[0]
    return sizes


def mend_blob(connection: Connection, name: str, data: bytes) -> None:
    """Keep bytes anew under a name whose stored bytes are damaged."""
    connection.rows("papers/mend_blob", {"sha256": name, "size": len(data), "data": data})


def read_blob(connection: Connection, name: str, cutoff: int | None = None) -> bytes:
    """Read bytes back, and check that they are those of their name.

    Args:
        connection: open for reading.
        name: SHA-256 in hexadecimal.
        cutoff: only when a paper that was observable by then names them (microseconds since 1970 UTC).

    Raises:
        NotFound: no stored paper names them, or none by the cutoff.
        BrokenInvariant: they are missing or damaged.
    """
    if not connection.value("papers/blob_seen", {"sha256": name, "cutoff": cutoff}):
        raise NotFound(f"no stored paper names a blob {name}", target=name)
    row = connection.row("papers/blob", {"sha256": name})
    fault = blob_fault(name, *row) if row is not None else "is missing"
    if row is None or fault is not None:
        sentence = f"blob {name} {fault}"
        raise BrokenInvariant(f"{sentence}; put the paper again from its file", findings=[sentence])
    data: bytes = row[1]
    return data


def blob_fault(name: str, size: int, data: object) -> str | None:
    """What is wrong with stored bytes; None when they are whole."""
    if not isinstance(data, bytes):
        return "is stored as something else than bytes"
    if len(data) != size or blob_name(data) != name:
        return "is damaged: its bytes are not those that its name says"
    return None


def erase_unused_blobs(connection: Connection) -> int:
    """Erase what no revision of a paper names any more; returns how many."""
    connection.rows("papers/erase_unused_blobs")
    return connection.changes()
