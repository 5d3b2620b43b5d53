"""Everything canonical as JSON Lines, in an order that restores it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from hybridkb.database import Database
from hybridkb.knowledge import Purge, Withdrawal, write_line
from hybridkb.knowledge.times import from_microseconds
from hybridkb.store.canonical import ItemState, load_item, load_states

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
                for revision in states[item_id].revisions:
                    yield write_line(load_item(connection, item_id, revision.revision_no))
                yield from _withdrawals(states[item_id])
            after = ids[-1]


def _withdrawals(state: ItemState) -> Iterator[str]:
    for at in state.withdrawals:
        yield write_line(Withdrawal(id=UUID(state.item_id), at=from_microseconds(at)))
