"""Everything canonical as JSON Lines, in an order that restores it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from hybridkb.database import Connection, Database
from hybridkb.knowledge import Purge, Withdrawal, write_line
from hybridkb.knowledge.blob_lines import blob_parts
from hybridkb.knowledge.json_lines import CurrentArtifact
from hybridkb.knowledge.times import from_microseconds
from hybridkb.store.canonical import ItemState, load_item, load_states
from hybridkb.store.papers import PAPER_TYPES, ArtifactRow, artifacts_of, read_blob

_STEP = 500


def export_lines(database: Database) -> Iterator[str]:
    """Yield one line an entry, from one consistent state of the file."""
    with database.read() as connection:
        for item_id, purged_at, reason in connection.rows("canonical/all_tombstones"):
            yield write_line(Purge(id=UUID(item_id), at=from_microseconds(purged_at), reason=reason or None))
        after = ""
        while found := connection.rows("canonical/all_item_ids", {"after": after, "limit": _STEP}):
            ids = [row[0] for row in found]
            states = load_states(connection, ids)
            for item_id in ids:
                if item_id not in states or states[item_id].item_type in PAPER_TYPES:
                    continue
                yield from _item(connection, states[item_id])
            after = ids[-1]
        yield from _papers(connection)


def _papers(connection: Connection) -> Iterator[str]:
    """Papers, each with its bytes before it and what was made of it behind it."""
    for (source_id,) in connection.rows("papers/all_source_ids"):
        state = load_states(connection, [source_id])[source_id]
        for (name,) in connection.rows("papers/blobs_of_item", {"item_no": state.item_no}):
            yield from map(write_line, blob_parts(read_blob(connection, name)))
        yield from _item(connection, state)
        rows = _ancestors_first(artifacts_of(connection, source_id))
        states = load_states(connection, [row.artifact_id for row in rows])
        for row in rows:
            yield from _item(connection, states[row.artifact_id])
        for row in rows:
            if row.current:
                yield write_line(CurrentArtifact(id=UUID(row.artifact_id)))


def _ancestors_first(rows: list[ArtifactRow]) -> list[ArtifactRow]:
    """In the order in which they were stored, but what one was made from before it."""
    left = {row.artifact_id: row for row in rows}
    ordered: list[ArtifactRow] = []
    while left:
        ready = [row for row in left.values() if not any(one in left for one in row.lineage)]
        taken = ready[0] if ready else next(iter(left.values()))  # nothing makes a circle, but files can be forged
        ordered.append(left.pop(taken.artifact_id))
    return ordered


def _item(connection: Connection, state: ItemState) -> Iterator[str]:
    for revision in state.revisions:
        yield write_line(load_item(connection, state.item_id, revision.revision_no))
    yield from _withdrawals(state)


def _withdrawals(state: ItemState) -> Iterator[str]:
    for at in state.withdrawals:
        yield write_line(Withdrawal(id=UUID(state.item_id), at=from_microseconds(at)))
