"""What a library knows of each item over time: the table of puts, as plain lists.

An item has revisions, each true from its ``available_at`` on, and withdrawals. Its state
at T is that of the last of them at or before T; a withdrawal at the same instant as a
revision wins. Without a cutoff its state is that of the very last one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from hybridkb.errors import InvalidInput, NotFound
from hybridkb.knowledge import KnowledgeItem, content_hash
from hybridkb.knowledge.times import to_microseconds

Effect = Literal["added", "unchanged", "revised", "inserted", "corrected"]
Now = None
Cutoff = int | None
"""Microseconds since 1970, or None for now."""


@dataclass
class Story:
    """One item's revisions and withdrawals."""

    item_type: str
    revisions: list[KnowledgeItem] = field(default_factory=list)
    withdrawn: set[int] = field(default_factory=set)


def instant_of(item: KnowledgeItem) -> int | None:
    """When the item became available, in microseconds, or None."""
    return None if item.available_at is None else to_microseconds(item.available_at)


class Timeline:
    """Every item's story, and the state of all of them at a cutoff."""

    def __init__(self) -> None:
        self.stories: dict[UUID, Story] = {}

    def put(self, item: KnowledgeItem) -> Effect:
        """Do what the table of puts says, and name the row of it."""
        story = self.stories.get(item.id)
        if story is None:
            self.stories[item.id] = Story(item.item_type, [item])
            return "added"
        if story.item_type != item.item_type:
            raise InvalidInput(f"{item.id} is a {story.item_type}", field="item_type")
        return self._put_known(story, item)

    def _put_known(self, story: Story, item: KnowledgeItem) -> Effect:
        new = instant_of(item)
        only = story.revisions[0]
        if instant_of(only) is None:
            if new is None and content_hash(only) == content_hash(item):
                return "unchanged"
            story.revisions = [item]
            return "corrected"
        if new is None:
            if content_hash(newest(story)) == content_hash(item):
                return "unchanged"
            raise InvalidInput("availability is known already", field="available_at")
        return _put_at(story, item, new)

    def delete(self, item_id: UUID, at: datetime) -> None:
        """Withdraw from an instant on; an item of unknown availability goes altogether.

        What is withdrawn already is not found, and nothing can be withdrawn before it became available: it would
        still be found without a cutoff.
        """
        story = self._story(item_id)
        moment, last = to_microseconds(at), instant_of(newest(story))
        if last is None:
            del self.stories[item_id]
            return
        if any(last <= earlier <= moment for earlier in story.withdrawn):
            raise NotFound(f"{item_id} is withdrawn already", target=str(item_id))
        if moment < last:
            raise InvalidInput(f"{item_id} became available later", field="at")
        story.withdrawn.add(moment)

    def purge(self, item_id: UUID) -> None:
        """Erase."""
        self._story(item_id)
        del self.stories[item_id]

    def _story(self, item_id: UUID) -> Story:
        if item_id not in self.stories:
            raise NotFound(f"no item {item_id}", target=str(item_id))
        return self.stories[item_id]

    def state(self, item_id: UUID, cutoff: Cutoff) -> KnowledgeItem | None:
        """The revision that is true at the cutoff, if there is one."""
        story = self.stories.get(item_id)
        if story is None:
            return None
        if instant_of(story.revisions[0]) is None:
            return story.revisions[0] if cutoff is Now else None
        best: KnowledgeItem | None = None
        best_at: int | None = None
        for revision in story.revisions:
            at = instant_of(revision)
            assert at is not None
            if (cutoff is Now or at <= cutoff) and (best_at is None or at > best_at):
                best, best_at = revision, at
        if best_at is None:
            return None
        for at in story.withdrawn:
            if (cutoff is Now or at <= cutoff) and at >= best_at:
                return None
        return best

    def everything(self, cutoff: Cutoff) -> list[KnowledgeItem]:
        """Every item as it is at the cutoff."""
        states = [self.state(item_id, cutoff) for item_id in self.stories]
        return [state for state in states if state is not None]


def newest(story: Story) -> KnowledgeItem:
    """The revision with the latest availability."""
    return max(story.revisions, key=lambda revision: instant_of(revision) or 0)


def _put_at(story: Story, item: KnowledgeItem, new: int) -> Effect:
    for place, revision in enumerate(story.revisions):
        if instant_of(revision) == new:
            if content_hash(revision) == content_hash(item):
                return "unchanged"
            story.revisions[place] = item
            return "corrected"
    later = new > max(instant_of(revision) or 0 for revision in story.revisions)
    story.revisions.append(item)
    return "revised" if later else "inserted"
