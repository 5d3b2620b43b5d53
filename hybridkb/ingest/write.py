"""Carries a plan out: canonical rows, records, words and vectors in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence

from hybridkb.database import Connection, ids_parameter
from hybridkb.ingest.plan import Plan
from hybridkb.lexical.vocabulary import TermWriter
from hybridkb.store.canonical import (
    ItemState,
    highest,
    insert_items,
    insert_revisions,
    note_in_journal,
)
from hybridkb.store.papers import forget_revisions
from hybridkb.store.records import PlacedRecord, add_records, records_of_revisions, remove_records
from hybridkb.text import Analyser


def carry_out(
    connection: Connection,
    plan: Plan,
    *,
    analyser: Analyser,
    terms: TermWriter,
    generation: int,
    now: int,
) -> int:
    """Write everything the plan says; returns how many records were written."""
    _number_items(connection, plan)
    numbers = _number_revisions(connection, plan)
    _drop_revisions(connection, plan.dropped, generation)
    insert_revisions(connection, _revision_rows(plan, numbers, now))
    placed = _place_records(connection, plan, numbers)
    add_records(connection, analyser, terms, placed)
    touched = [plan.states[item_id] for item_id in plan.touched]
    move_intervals(connection, touched, generation, skip=set(numbers.values()))
    _journal(connection, plan, now)
    return len(placed)


def move_intervals(
    connection: Connection, states: Sequence[ItemState], generation: int, *, skip: set[int] | None = None
) -> None:
    """Bring the intervals of stored records up to the items' revisions and withdrawals."""
    moved: list[int] = []
    for state in states:
        for position, revision in enumerate(state.revisions):
            if skip and revision.revision_no in skip:
                continue
            begin, end = state.interval(position)
            connection.rows(
                "records/set_interval",
                {"visible_from": begin, "visible_until": end, "revision_no": revision.revision_no},
            )
            if connection.changes():
                moved.append(revision.revision_no)
    ids = records_of_revisions(connection, moved) if moved else []
    connection.many("resident/log_change", ((generation, record_id) for record_id in ids))


def _number_items(connection: Connection, plan: Plan) -> None:
    first = highest(connection, "item") + 1
    for offset, item_id in enumerate(plan.new_items):
        plan.states[item_id].item_no = first + offset
    insert_items(
        connection,
        [(plan.states[item_id].item_no, item_id, plan.states[item_id].item_type) for item_id in plan.new_items],
    )


def _number_revisions(connection: Connection, plan: Plan) -> dict[int, int]:
    """Give the fresh revisions their numbers, in the plan and in the states."""
    first = highest(connection, "revision") + 1
    numbers = {provisional: first + offset for offset, provisional in enumerate(plan.fresh)}
    for item_id in plan.touched:
        state = plan.states[item_id]
        state.revisions = [
            revision.numbered(numbers.get(revision.revision_no, revision.revision_no)) for revision in state.revisions
        ]
    return numbers


def _drop_revisions(connection: Connection, dropped: Sequence[int], generation: int) -> None:
    if not dropped:
        return
    remove_records(connection, records_of_revisions(connection, dropped), generation)
    forget_revisions(connection, dropped)
    connection.rows("canonical/delete_revisions", ids_parameter(dropped))


def _revision_rows(plan: Plan, numbers: dict[int, int], now: int) -> list[tuple[object, ...]]:
    return [
        (
            numbers[provisional],
            plan.states[prepared.item_id].item_no,
            prepared.available_at,
            prepared.as_of,
            now,
            prepared.content_hash,
            prepared.payload,
            prepared.source,
        )
        for provisional, prepared in plan.fresh.items()
    ]


def _place_records(connection: Connection, plan: Plan, numbers: dict[int, int]) -> list[PlacedRecord]:
    next_id = highest(connection, "record") + 1
    placed: list[PlacedRecord] = []
    for provisional, prepared in plan.fresh.items():
        number = numbers[provisional]
        begin, end = plan.states[prepared.item_id].interval_of(number)
        for record in prepared.records:
            placed.append(
                PlacedRecord(
                    next_id + len(placed),
                    number,
                    prepared.content_hash,
                    record,
                    prepared.as_of,
                    prepared.available_at,
                    begin,
                    end,
                    prepared.current,
                )
            )
    return placed


def _journal(connection: Connection, plan: Plan, now: int) -> None:
    for edit in plan.edits:
        note_in_journal(connection, now=now, kind=edit.kind, subject=edit.item_id, affected_from=edit.affected_from)
