"""Reads papers back: the source, and what was made of it. Nothing damaged is handed out."""

from __future__ import annotations

import re
from uuid import UUID

from hybridkb.database import Connection
from hybridkb.errors import BrokenInvariant, InvalidInput, NotFound
from hybridkb.knowledge import Locator
from hybridkb.knowledge.paper_artifacts import (
    PaperArtifact,
    PaperChunkSet,
    PaperGlobalSummary,
    PaperTree,
)
from hybridkb.knowledge.paper_result import ArtifactSummary, Paper
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.times import from_microseconds
from hybridkb.records.paper_projection import without_version
from hybridkb.store.canonical import ItemState, load_state
from hybridkb.store.papers import ArtifactRow, artifact_row, artifacts_of, made_by
from hybridkb.store.reading import Sight, read_revision, seen

_UUID_CHARACTERS = 36
_ARXIV_TEXT = re.compile(r"(?:(?:https?://)?(?:\w+\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:)?\s*(.+?)(?:\.pdf)?\Z", re.I)


def paper_of(connection: Connection, key: UUID | str | Locator, sight: Sight) -> Paper:
    """Read a paper with what is current of it.

    Args:
        connection: open for reading.
        key: the id of its source, the id or locator of anything that was made of it, or its arXiv id; without a
            version that of the newest version held.
        sight: from where it is looked at.

    Raises:
        NotFound: there is no such paper, or not then.
        BrokenInvariant: it is stored damaged.
    """
    source_id = _find(connection, key, sight)
    source = read_revision(connection, *seen(connection, source_id, sight, kind="paper"))
    if not isinstance(source, PaperSourceRevision):
        raise NotFound(f"{key} is a {source.item_type}, not a paper; use get()", target=str(key))
    if _owner(key) is None and without_version(source.arxiv_id or "") != without_version(_arxiv_name(str(key))):
        raise _misfiled(source_id)
    current: dict[type, PaperArtifact] = {}
    listed: list[ArtifactSummary] = []
    for row in artifacts_of(connection, source_id):
        state = _state(connection, row.artifact_id)
        position = sight.position(state)
        if position is not None:
            artifact = artifact_at(connection, state, position, row)
            listed.insert(0, _summary(artifact, state, position, row))
            if row.current:
                current[type(artifact)] = artifact
    chunk_set, summary, tree = (current.get(kind) for kind in (PaperChunkSet, PaperGlobalSummary, PaperTree))
    assert chunk_set is None or isinstance(chunk_set, PaperChunkSet)
    assert summary is None or isinstance(summary, PaperGlobalSummary)
    assert tree is None or isinstance(tree, PaperTree)
    return Paper(source, chunk_set, summary, tree, tuple(sorted(listed, key=lambda one: one.kind)))


def artifact_of(connection: Connection, artifact_id: str, sight: Sight) -> PaperArtifact:
    """Read an artifact, current or not.

    Raises:
        NotFound: there is none with this id, or it is not seen from there.
        BrokenInvariant: it is stored damaged.
    """
    state, position = seen(connection, artifact_id, sight, kind="artifact")
    row = artifact_row(connection, artifact_id)
    if row is None:
        raise NotFound(f"{artifact_id} is a {state.item_type}, not an artifact of a paper", target=artifact_id)
    return artifact_at(connection, state, position, row)


def artifact_at(connection: Connection, state: ItemState, position: int, row: ArtifactRow) -> PaperArtifact:
    """Read one revision of an artifact, and compare it with its rows.

    Raises:
        BrokenInvariant: content, times, lineage or members are not what is kept of them.
    """
    artifact = read_revision(connection, state, position)
    fault = "it is stored as something else"
    if isinstance(artifact, PaperArtifact):
        revision = {"revision_no": state.revisions[position].revision_no}
        records = int(connection.value("papers/count_records", revision))
        fault = artifact_fault(artifact, row) or ""
        if not fault and records == row.members:
            return artifact
        fault = fault or f"it has {records} records, not {row.members}"
    sentence = f"artifact {state.item_id}: {fault}"
    raise BrokenInvariant(f"{sentence}; run check(), then rebuild()", findings=[sentence])


def artifact_fault(artifact: PaperArtifact, row: ArtifactRow) -> str | None:
    """What the rows of an artifact say otherwise than the artifact itself; None when nothing."""
    if row.made_by != made_by(artifact):
        return "its kind, configuration or input is not what is kept of it"
    if row.lineage != tuple(str(one) for one in artifact.lineage):
        return "its lineage is not what is kept of it"
    if row.source_id != str(artifact.source_id):
        return "it is kept under another source"
    return None


def _summary(artifact: PaperArtifact, state: ItemState, position: int, row: ArtifactRow) -> ArtifactSummary:
    told = artifact.extraction
    return ArtifactSummary(
        artifact_id=artifact.id,
        kind=row.kind,
        producer=told.producer or "",
        producer_version=told.producer_version or "",
        model=told.model,
        config_hash=row.config_hash,
        members=row.members,
        current=row.current,
        recorded_at=from_microseconds(state.revisions[position].recorded_at),
    )


def _state(connection: Connection, item_id: str) -> ItemState:
    state = load_state(connection, item_id)
    if state is None:
        raise BrokenInvariant(f"the rows of artifact {item_id} are there, its item is not; run check()")
    return state


# --- finding a paper -------------------------------------------------------------------------------------------


def _find(connection: Connection, key: UUID | str | Locator, sight: Sight) -> str:
    """The id of the source that a key means."""
    owner = _owner(key)
    if owner is None:
        return _by_arxiv(connection, str(key), sight)
    row = artifact_row(connection, owner)
    if row is None:
        return owner
    seen(connection, owner, sight)  # who does not see the artifact is not led to its source by it
    return row.source_id


def _owner(key: UUID | str | Locator) -> str | None:
    """The id that a key names; None for an arXiv id."""
    if isinstance(key, UUID):
        return str(key)
    if isinstance(key, Locator):
        return str(key.owner_id)
    if not isinstance(key, str) or not key.strip():
        raise InvalidInput(f"{key!r} names no paper; give an id, a locator or an arXiv id", field="paper")
    if key.partition(":")[0] in ("item", "source", "artifact"):
        return str(Locator.parse(key).owner_id)
    try:
        return str(UUID(key)) if len(key) == _UUID_CHARACTERS else None
    except ValueError:
        return None


def _by_arxiv(connection: Connection, text: str, sight: Sight) -> str:
    wanted = _arxiv_name(text)
    paper = without_version(wanted)
    rows = connection.rows("papers/sources_named", {"arxiv_paper": paper, "cutoff": sight.cutoff})
    held: list[tuple[int, str]] = []
    for source_id, arxiv_id, revision_no in rows:
        state = load_state(connection, source_id)
        position = None if state is None else sight.position(state)
        if state is None or position is None or state.revisions[position].revision_no != revision_no:
            continue
        if not isinstance(arxiv_id, str):
            raise _misfiled(source_id)
        if wanted in (paper, arxiv_id):
            held.append((_version(arxiv_id), source_id))
    if not held:
        raise NotFound(
            f"the library shows no paper with the arXiv id {wanted!r}; a paper is named by its id (hybridkb paper list "
            "shows them), an arXiv id or a locator",
            target=text,
        )
    return max(held)[1]


def _arxiv_name(text: str) -> str:
    """The arXiv id in what may be an address."""
    found = _ARXIV_TEXT.match(text.strip())
    return found[1] if found else text


def _misfiled(source_id: str) -> BrokenInvariant:
    sentence = f"paper {source_id} is listed under an arXiv id that is not its own"
    return BrokenInvariant(f"{sentence}; run check(), then rebuild()", findings=[sentence])


def _version(arxiv_id: str) -> int:
    return int(arxiv_id[len(without_version(arxiv_id)) + 1 :] or 0)
