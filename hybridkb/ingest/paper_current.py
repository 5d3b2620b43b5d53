"""Which of a paper's artifacts of one kind searches see: the newest stored, until a caller chooses another."""

from __future__ import annotations

from hybridkb.database import Connection
from hybridkb.errors import InvalidInput, NotFound
from hybridkb.ingest.pipeline import Ingest
from hybridkb.knowledge.times import from_microseconds
from hybridkb.resident.packed import repack
from hybridkb.store.canonical import ItemState, load_state, load_states, note_in_journal
from hybridkb.store.papers import ArtifactRow, artifact_row, artifacts_of, set_current
from hybridkb.store.reading import missing


def make_current(ingest: Ingest, artifact_id: str, *, withdrawn_too: bool = False) -> bool:
    """Let searches see an artifact in place of the one of its kind that they see now.

    Returns whether it was another one before. ``withdrawn_too`` puts back what another library holds.

    Raises:
        NotFound: there is no such artifact.
        InvalidInput: it is withdrawn, so that searches would see none.
    """

    def write(connection: Connection) -> bool:
        row, state = artifact_row(connection, artifact_id), load_state(connection, artifact_id)
        if row is None or state is None:
            raise _no_artifact(connection, artifact_id, state)
        since = state.withdrawn_since()
        if since is not None and not withdrawn_too:
            raise InvalidInput(
                f"artifact {artifact_id} was withdrawn from {from_microseconds(since).isoformat()} on; searches would "
                "see none in its place",
                field="artifact_id",
            )
        if row.current:
            return False
        exchange(connection, row, generation=int(connection.value("state/next_generation")), now=ingest.clock())
        repack(connection)
        return True

    return ingest.database.writing(write)


def exchange(connection: Connection, row: ArtifactRow, *, generation: int, now: int) -> None:
    """Make a stored artifact current in the caller's write transaction, and note it in the journal."""
    others = [one for one in artifacts_of(connection, row.source_id) if one.kind == row.kind and one.current]
    for other in others:
        set_current(connection, other.item_no, False, generation)
    set_current(connection, row.item_no, True, generation)
    source = load_state(connection, row.source_id)
    assert source is not None  # the artifact's row refers to it
    note_current(connection, source, row.kind, row.artifact_id, others[0].artifact_id if others else None, now)


def make_newest_current(connection: Connection, gone: ArtifactRow, *, generation: int, now: int) -> None:
    """Make the newest of what is left current after the current artifact was removed; one that stands comes first."""
    left = [one for one in artifacts_of(connection, gone.source_id) if one.kind == gone.kind]
    if not left:
        return
    states = load_states(connection, (one.artifact_id for one in left))
    standing = {one for one, state in states.items() if state.withdrawn_since() is None}
    newest = max(left, key=lambda one: (one.artifact_id in standing, one.item_no))
    exchange(connection, newest, generation=generation, now=now)


def note_current(
    connection: Connection, source: ItemState, kind: str, current: str, before: str | None, now: int
) -> None:
    """Note in the journal that another artifact of a paper is current: answers about the past show it instead."""
    note_in_journal(
        connection,
        now=now,
        kind="current",
        subject=current,
        affected_from=source.revisions[0].available_at,
        detail=f"the {kind} of source {source.item_id}" + (f", in place of {before}" if before else ""),
    )


def _no_artifact(connection: Connection, artifact_id: str, state: ItemState | None) -> NotFound:
    if state is None:
        return missing(connection, artifact_id)
    return NotFound(f"{artifact_id} is a {state.item_type}, not an artifact of a paper", target=artifact_id)
