"""Withdrawing (the past still shows it) and purging (nothing does, and the library says that it happened)."""

from __future__ import annotations

from collections.abc import Iterable

from hybridkb.database import Connection, Row, ids_parameter
from hybridkb.errors import InvalidInput, NotFound
from hybridkb.ingest.paper_current import make_newest_current
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.write import move_intervals
from hybridkb.knowledge.times import from_microseconds
from hybridkb.store.canonical import ItemState, load_state, load_states, note_in_journal
from hybridkb.store.papers import (
    SOURCE_TYPE,
    artifact_row,
    artifacts_of,
    descendants,
    erase_unused_blobs,
    forget_artifact,
    forget_revisions,
)
from hybridkb.store.reading import missing
from hybridkb.store.records import erase_traces, records_of_revisions, remove_records


def withdraw(ingest: Ingest, item_id: str, at: int | None) -> int:
    """Withdraw an item from ``at`` on (microseconds since 1970 UTC; the clock's now when None).

    Returns the instant. An item of which no revision has a known availability leaves altogether,
    since no past answer could show it. What was made of a paper is withdrawn with it.

    Raises:
        NotFound: the library does not hold it, or it is withdrawn already.
        InvalidInput: ``at`` lies before everything known of it.
    """
    now = ingest.clock()
    moment = now if at is None else at

    def write(connection: Connection) -> None:
        state = _require(connection, item_id)
        since = state.withdrawn_since()
        if since is not None and since <= moment:
            raise NotFound(
                f"item {item_id} was withdrawn already, from {from_microseconds(since).isoformat()} on", target=item_id
            )
        _refuse_before_newest(state, moment)
        generation = int(connection.value("state/next_generation"))
        for its in _made_of(connection, state):
            already = its.withdrawn_since()
            if already is None or already > moment:
                take_out(connection, its, moment, now=now, generation=generation, with_source=True)
        take_out(connection, state, moment, now=now, generation=generation)

    ingest.database.writing(write)
    return moment


def take_out(
    connection: Connection, state: ItemState, moment: int, *, now: int, generation: int, with_source: bool = False
) -> None:
    """Withdraw an item from ``moment`` on, which is no earlier than its newest revision, in the caller's transaction.

    Args:
        connection: inside a write transaction.
        state: the item, as it is stored.
        moment, now: microseconds since 1970 UTC.
        generation: of the transaction.
        with_source: of what was made of a paper, whether that leaves as well.
    """
    if state.revisions[-1].available_at is None:
        if not with_source and descendants(connection, state.item_id):
            reason = "deleted while its availability was unknown"
            connection.rows(
                "canonical/insert_tombstone", {"item_id": state.item_id, "purged_at": now, "reason": reason}
            )
        _remove_everything(connection, state, generation, now=now, with_source=with_source)
    else:
        _withdraw_from(connection, state, moment, now, generation)


def _refuse_before_newest(state: ItemState, moment: int) -> None:
    newest = state.revisions[-1].available_at
    if newest is not None and moment < newest:
        raise InvalidInput(
            f"item {state.item_id} has a revision available from {from_microseconds(newest).isoformat()} on, after the "
            f"withdrawal at {from_microseconds(moment).isoformat()}; withdraw it from then on or later, or purge it",
            field="at",
        )


def restore_withdrawal(ingest: Ingest, item_id: str, at: int) -> None:
    """Withdraw an item from ``at`` on as another library has it, whatever other withdrawals there are.

    Raises:
        NotFound: the library does not hold it.
        InvalidInput: ``at`` lies before everything known of it, or its availability is unknown.
    """

    def write(connection: Connection) -> None:
        state = load_state(connection, item_id)
        if state is None:
            raise NotFound(f"item {item_id} is to be withdrawn, but the library does not hold it", target=item_id)
        if at not in state.withdrawals:
            generation = int(connection.value("state/next_generation"))
            _withdraw_from(connection, state, at, ingest.clock(), generation)

    ingest.database.writing(write)


def _withdraw_from(connection: Connection, state: ItemState, moment: int, now: int, generation: int) -> None:
    first = state.revisions[0].available_at
    if first is None:
        raise InvalidInput(
            f"item {state.item_id} has no known availability, so it cannot be withdrawn from "
            f"{from_microseconds(moment).isoformat()} on; put it with its available_at first, or delete it",
            field="available_at",
        )
    if moment < first:
        raise InvalidInput(
            f"item {state.item_id} became available at {from_microseconds(first).isoformat()}, after the withdrawal "
            f"at {from_microseconds(moment).isoformat()}; give a later time, or purge it",
            field="at",
        )
    sooner = any(at > moment for at in state.withdrawals)  # than the library said before: an edit, wherever now is
    connection.rows("canonical/insert_withdrawal", {"item_no": state.item_no, "at": moment, "recorded_at": now})
    state.withdrawals = sorted({*state.withdrawals, moment})
    move_intervals(connection, [state], generation)
    if moment < now or sooner:
        note_in_journal(connection, now=now, kind="withdrawal", subject=state.item_id, affected_from=moment)


def purge(ingest: Ingest, item_id: str, reason: str) -> None:
    """Erase every revision, record, posting and vector of an item, and leave a tombstone.

    What was made of a paper is erased with it, and every blob that no other paper needs.

    Raises:
        NotFound: the library does not hold it.
    """

    def write(connection: Connection) -> None:
        state = _require(connection, item_id)
        generation = int(connection.value("state/next_generation"))
        _bury(connection, state, generation, now=ingest.clock(), reason=reason)
        erase_traces(connection)

    ingest.database.writing(write)


def erase_purged(connection: Connection, purges: Iterable[Row]) -> None:
    """Erase from a copy what was purged from the library that it was made of, in the caller's write transaction.

    Args:
        connection: of the copy.
        purges: rows of the library's tombstones that the copy does not have: item, time, reason.
    """
    generation = int(connection.value("state/next_generation"))
    for item_id, purged_at, reason in purges:
        state = load_state(connection, item_id)
        if state is None:
            tombstone = {"item_id": item_id, "purged_at": purged_at, "reason": reason}
            connection.rows("canonical/insert_tombstone", tombstone)
        else:
            _bury(connection, state, generation, now=purged_at, reason=reason)
    erase_traces(connection)


def _bury(
    connection: Connection, state: ItemState, generation: int, *, now: int, reason: str, with_source: bool = False
) -> None:
    """Take an item out and leave a tombstone; its traces are left to :func:`erase_traces`."""
    for its in _made_of(connection, state):
        _bury(connection, its, generation, now=now, reason=reason, with_source=True)
    known = [revision.available_at for revision in state.revisions if revision.available_at is not None]
    _remove_everything(connection, state, generation, now=now, with_source=with_source)
    connection.rows("files/forget_item", {"item_id": state.item_id})
    connection.rows("canonical/insert_tombstone", {"item_id": state.item_id, "purged_at": now, "reason": reason})
    note_in_journal(
        connection, now=now, kind="purge", subject=state.item_id, affected_from=min(known, default=None), detail=reason
    )


def _remove_everything(
    connection: Connection, state: ItemState, generation: int, *, now: int, with_source: bool
) -> None:
    """Take the item and its records out; cached vectors stay, so that putting it again embeds nothing.

    Another artifact takes the place of a current one, unless its source leaves as well.
    """
    row = artifact_row(connection, state.item_id)
    numbers = [revision.revision_no for revision in state.revisions]
    remove_records(connection, records_of_revisions(connection, numbers), generation)
    forget_artifact(connection, state.item_no)
    forget_revisions(connection, numbers)
    connection.rows("canonical/delete_revisions", ids_parameter(numbers))
    connection.rows("canonical/delete_withdrawals", {"item_no": state.item_no})
    connection.rows("canonical/delete_item", {"item_no": state.item_no})
    if state.item_type == SOURCE_TYPE:
        erase_unused_blobs(connection)
    if row is not None and row.current and not with_source:
        make_newest_current(connection, row, generation=generation, now=now)


def _made_of(connection: Connection, state: ItemState) -> list[ItemState]:
    """What was made of a paper; of another item nothing."""
    if state.item_type != SOURCE_TYPE:
        return []
    rows = artifacts_of(connection, state.item_id)
    states = load_states(connection, (row.artifact_id for row in rows))
    return [states[row.artifact_id] for row in rows if row.artifact_id in states]


def _require(connection: Connection, item_id: str) -> ItemState:
    state = load_state(connection, item_id)
    if state is None:
        raise missing(connection, item_id)
    return state
