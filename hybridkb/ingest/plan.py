"""The table of puts: what putting a revision of a known id does (SEMANTICS, "Time").

Works on item states in memory; :mod:`hybridkb.ingest.write` carries the plan out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from hybridkb.errors import InvalidInput
from hybridkb.ingest.prepare import Prepared
from hybridkb.store.canonical import ItemState, StoredRevision

Effect = Literal["added", "revised", "inserted", "corrected", "unchanged"]


@dataclass(frozen=True, slots=True)
class EditOfThePast:
    """A change of what the library holds about the time from ``affected_from`` on.

    A first revision put long after its availability changes the past too; its own row
    says so (``recorded_at``).
    """

    kind: Literal["correction", "insertion"]
    item_id: str
    affected_from: int


@dataclass(slots=True)
class Plan:
    """What one batch will do.

    Attributes:
        states: every touched item as it will be, by id.
        new_items: ids that the library does not hold, in order; a put of one of them edits nothing that was stored.
        fresh: prepared revisions to write, by their number-to-be (negative until numbered).
        dropped: numbers of stored revisions that are replaced.
        effects: how each prepared item came out, in order.
        edits: edits of the past, for the journal.
    """

    states: dict[str, ItemState]
    new_items: dict[str, None] = field(default_factory=dict)
    fresh: dict[int, Prepared] = field(default_factory=dict)
    dropped: list[int] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    edits: list[EditOfThePast] = field(default_factory=list)

    @property
    def touched(self) -> set[str]:
        """Items whose revisions change."""
        return {prepared.item_id for prepared in self.fresh.values()}


def plan_puts(
    states: dict[str, ItemState],
    batch: Iterable[Prepared],
    *,
    now: int,
    refuse: Callable[[Prepared, InvalidInput], None] | None = None,
) -> Plan:
    """Decide what each put does, in order.

    Args:
        states: the stored items among those of the batch, by id; changed in place.
        batch: prepared items.
        now: the library's clock, microseconds since 1970 UTC.
        refuse: told of each put that cannot be; without it the first one raises.

    Raises:
        InvalidInput: another type under a known id, or a known availability would become unknown.
    """
    plan = Plan(states)
    for prepared in batch:
        try:
            add_put(plan, prepared, now=now)
        except InvalidInput as error:
            if refuse is None:
                raise
            refuse(prepared, error)
    return plan


def add_put(plan: Plan, prepared: Prepared, *, now: int) -> Effect:
    """Decide what one more put does.

    Raises:
        InvalidInput: as :func:`plan_puts`; the plan is as it was.
    """
    effect = _put(plan, prepared, now)
    plan.effects.append(effect)
    return effect


def _put(plan: Plan, prepared: Prepared, now: int) -> Effect:
    state = plan.states.get(prepared.item_id)
    if state is None:
        plan.states[prepared.item_id] = state = ItemState(0, prepared.item_id, prepared.item_type)
        plan.new_items[prepared.item_id] = None
        _place(plan, state, prepared, now)
        return "added"
    if state.item_type != prepared.item_type:
        raise InvalidInput(
            f"item {prepared.item_id} is stored as {state.item_type!r} and cannot become {prepared.item_type!r}; give "
            "the new item another id, or purge the old one",
            field="item_type",
        )
    return _put_again(plan, state, prepared, now)


def _put_again(plan: Plan, state: ItemState, prepared: Prepared, now: int) -> Effect:
    newest = state.revisions[-1]
    if prepared.available_at is None:
        if newest.available_at is None:
            return _replace(plan, state, newest, prepared, now)
        if newest.content_hash == prepared.content_hash:
            return "unchanged"
        raise InvalidInput(
            f"item {prepared.item_id} is stored with a known available_at; a put without one would make the past "
            "unsafe: give available_at",
            field="available_at",
        )
    if newest.available_at is None:
        return _replace(plan, state, newest, prepared, now)
    same = next((stored for stored in state.revisions if stored.available_at == prepared.available_at), None)
    if same is not None:
        return _replace(plan, state, same, prepared, now)
    later = prepared.available_at > newest.available_at
    before_withdrawal = any(at >= prepared.available_at for at in state.withdrawals)
    _place(plan, state, prepared, now)
    if (not later or before_withdrawal) and prepared.item_id not in plan.new_items:
        plan.edits.append(EditOfThePast("insertion", prepared.item_id, prepared.available_at))
    return "revised" if later else "inserted"


def _replace(plan: Plan, state: ItemState, stored: StoredRevision, prepared: Prepared, now: int) -> Effect:
    same_times = stored.available_at == prepared.available_at and stored.as_of == prepared.as_of
    if same_times and stored.content_hash == prepared.content_hash and not prepared.renewed:
        return "unchanged"
    state.revisions.remove(stored)
    if plan.fresh.pop(stored.revision_no, None) is None:
        plan.dropped.append(stored.revision_no)
    _place(plan, state, prepared, now)
    if prepared.available_at is not None and prepared.item_id not in plan.new_items:
        plan.edits.append(EditOfThePast("correction", prepared.item_id, prepared.available_at))
    return "corrected"


def _place(plan: Plan, state: ItemState, prepared: Prepared, now: int) -> None:
    number = -len(plan.effects) - 1  # each put places at most one revision
    plan.fresh[number] = prepared
    state.revisions.append(
        StoredRevision(number, prepared.available_at, prepared.as_of, prepared.content_hash, now)
    )
    if len(state.revisions) > 1:
        state.revisions.sort(key=lambda revision: revision.available_at or 0)
