"""Reads canonical knowledge back: an item and its history, now or as they stood."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hybridkb.database import Connection
from hybridkb.errors import BrokenInvariant, NotFound
from hybridkb.knowledge import KnowledgeItem, content_hash
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.times import from_microseconds
from hybridkb.store.canonical import ItemState, load_item, load_state


@dataclass(frozen=True, slots=True)
class Revision:
    """One state of an item.

    Attributes:
        as_of: information cutoff that the state represents.
        available_at: when it became observable; None is unknown.
        recorded_at: when the library was told.
        content_hash: hexadecimal SHA-256 of the content.
        visible_from, visible_until: the interval in which searches with a cutoff see it; None is unknown, or no end.
        withdrawn_at: when it was withdrawn, if that ended it.
        current: whether searches without a cutoff see it.
    """

    as_of: datetime
    available_at: datetime | None
    recorded_at: datetime
    content_hash: str
    visible_from: datetime | None
    visible_until: datetime | None
    withdrawn_at: datetime | None
    current: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """From where someone looks: now, at an instant, or at an instant beyond which nothing is known to them.

    Attributes:
        cutoff: the instant (microseconds since 1970 UTC); None is now.
        bounded: nothing later shows, not even in an error.
    """

    cutoff: int | None = None
    bounded: bool = False

    def position(self, state: ItemState) -> int | None:
        """Which revision of an item is seen; None when none is."""
        if self.bounded and self.cutoff is not None:
            return state.known_by(self.cutoff).position_at(None)
        return state.position_at(self.cutoff)


def seen(connection: Connection, item_id: str, sight: Sight, *, kind: str = "item") -> tuple[ItemState, int]:
    """An item's state, and which of its revisions is seen. ``kind`` is what errors call it when it is not held.

    Raises:
        NotFound: not held, purged, withdrawn, or not observable from there; the text says which.
    """
    if sight.bounded and sight.cutoff is not None:
        known = known_state(connection, item_id, sight.cutoff)
        position = known.position_at(None)
        if position is None:
            raise NotFound(_why_invisible(known, None), target=item_id)
        return known, position
    state = load_state(connection, item_id)
    if state is None:
        raise missing(connection, item_id, kind)
    position = state.position_at(sight.cutoff)
    if position is None:
        raise NotFound(_why_invisible(state, sight.cutoff), target=item_id)
    return state, position


def read_revision(connection: Connection, state: ItemState, position: int) -> KnowledgeItem:
    """Read one revision of an item; a paper, or what was made of it, is compared with its hash.

    Raises:
        BrokenInvariant: its stored bytes are damaged, or not what their hash names.
    """
    revision = state.revisions[position]
    item = load_item(connection, state.item_id, revision.revision_no)
    if isinstance(item, PaperSourceRevision | PaperArtifact) and (
        content_hash(item) != revision.content_hash or str(item.id) != state.item_id
    ):
        sentence = f"item {state.item_id} is stored altered: it is not what its hash names"
        raise BrokenInvariant(f"{sentence}; restore it from an export", findings=[sentence])
    return item


def get_item(connection: Connection, item_id: str, cutoff: int | None) -> KnowledgeItem:
    """Read an item as it is now, or as it stood at ``cutoff`` (microseconds since 1970 UTC).

    Raises:
        NotFound: not held, purged, withdrawn, or not observable by the cutoff; the text says which.
        BrokenInvariant: its stored bytes are damaged.
    """
    return read_revision(connection, *seen(connection, item_id, Sight(cutoff)))


def history(connection: Connection, item_id: str) -> list[Revision]:
    """List an item's revisions, oldest availability first.

    Raises:
        NotFound: not held, or purged.
    """
    state = load_state(connection, item_id)
    if state is None:
        raise missing(connection, item_id)
    return [_revision(state, position) for position in range(len(state.revisions))]


def known_state(connection: Connection, item_id: str, cutoff: int) -> ItemState:
    """Read an item's state as it was known at ``cutoff``; nothing later shows, not even in an error.

    Raises:
        NotFound: nothing of it was observable by then.
    """
    state = load_state(connection, item_id)
    known = state.known_by(cutoff) if state is not None else None
    if known is None or not known.revisions:
        when = from_microseconds(cutoff).isoformat()
        raise NotFound(f"nothing of item {item_id} was observable at {when}", target=item_id)
    return known


def get_known(connection: Connection, item_id: str, cutoff: int) -> KnowledgeItem:
    """Read an item as it stood at ``cutoff``, for someone who knows of nothing later.

    Raises:
        NotFound: nothing of it was observable by then, or it was withdrawn.
    """
    return read_revision(connection, *seen(connection, item_id, Sight(cutoff, bounded=True)))


def history_known(connection: Connection, item_id: str, cutoff: int) -> list[Revision]:
    """List the revisions observable by ``cutoff``, their intervals as they were known then.

    Raises:
        NotFound: none was.
    """
    known = known_state(connection, item_id, cutoff)
    return [_revision(known, position) for position in range(len(known.revisions))]


def missing(connection: Connection, item_id: str, kind: str = "item") -> NotFound:
    """Say that an item is not there, and since when if it was purged."""
    tombstone = connection.row("canonical/tombstone", {"item_id": item_id})
    if tombstone is None:
        return NotFound(f"the library holds no {kind} {item_id}", target=item_id)
    when, reason = from_microseconds(tombstone[0]).isoformat(), tombstone[1]
    return NotFound(f"item {item_id} was purged at {when} ({reason or 'no reason given'})", target=item_id)


def _why_invisible(state: ItemState, cutoff: int | None) -> str:
    if cutoff is None:
        since = state.withdrawn_since()
        assert since is not None
        return f"item {state.item_id} was withdrawn from {from_microseconds(since).isoformat()} on"
    when = from_microseconds(cutoff).isoformat()
    first = state.revisions[0].available_at
    if first is None:
        return f"item {state.item_id} has no known availability, so nothing shows that it was observable at {when}"
    if first > cutoff:
        became = from_microseconds(first).isoformat()
        return f"item {state.item_id} was not observable at {when}; it became so at {became}"
    return f"item {state.item_id} was withdrawn at {when}"


def _revision(state: ItemState, position: int) -> Revision:
    revision = state.revisions[position]
    begin, end = state.interval(position)
    return Revision(
        as_of=from_microseconds(revision.as_of),
        available_at=_time(revision.available_at),
        recorded_at=from_microseconds(revision.recorded_at),
        content_hash=revision.content_hash.hex(),
        visible_from=_time(begin),
        visible_until=_time(end),
        withdrawn_at=_time(end) if end in state.withdrawals else None,
        current=end is None,
    )


def _time(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else from_microseconds(microseconds)
