"""What a reader found: the cards, what it had to leave out and why, and what is not published yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from hybridkb.memory.card import KnowledgeCard


@dataclass(frozen=True, slots=True)
class SkippedCard:
    """Something that was left out, and why.

    Attributes:
        place: where it stands: a file, a file and its line, a slug, or its position in the input.
        reason: what is wrong and how to mend it.
    """

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class UpcomingCard:
    """Something that is not to be searched yet.

    Attributes:
        slug: names it.
        status: what its author says of it, such as ``"draft"``.
    """

    slug: str
    status: str


@dataclass(frozen=True, slots=True)
class CollectedCards(Sequence[KnowledgeCard]):
    """Cards in a fixed order. Two of them added are both together.

    Attributes:
        cards: the cards.
        skipped: files and rows that could not be used.
        upcoming: what is marked as not published.
        notes: what was guessed or degraded on the way, one sentence each.
    """

    cards: tuple[KnowledgeCard, ...] = ()
    skipped: tuple[SkippedCard, ...] = ()
    upcoming: tuple[UpcomingCard, ...] = ()
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> KnowledgeCard: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[KnowledgeCard, ...]: ...
    def __getitem__(self, index: int | slice) -> KnowledgeCard | tuple[KnowledgeCard, ...]:
        return self.cards[index]

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[KnowledgeCard]:
        return iter(self.cards)

    def __add__(self, other: CollectedCards) -> CollectedCards:
        """Both together, these first."""
        return CollectedCards(
            self.cards + other.cards,
            self.skipped + other.skipped,
            self.upcoming + other.upcoming,
            self.notes + other.notes,
        )


class Collector:
    """What a reader finds, while it reads."""

    def __init__(self) -> None:
        self._cards: dict[str, KnowledgeCard] = {}
        self._places: dict[str, str] = {}
        self._skipped: list[SkippedCard] = []
        self._upcoming: list[UpcomingCard] = []
        self._notes: list[str] = []

    def add(self, place: str, found: KnowledgeCard | UpcomingCard) -> None:
        """Take what stands at ``place``; the second card of one slug is skipped."""
        if isinstance(found, UpcomingCard):
            self._upcoming.append(found)
        elif found.slug in self._cards:
            other = self._places[found.slug]
            self.skip(place, f"has the slug {found.slug!r}, as {other} has; give each a name of its own")
        else:
            self._cards[found.slug] = found
            self._places[found.slug] = place

    def skip(self, place: str, reason: object) -> None:
        """Leave out what stands at ``place``."""
        self._skipped.append(SkippedCard(place, str(reason).removeprefix(f"{place} ")))

    def note(self, place: str, notes: Iterable[str]) -> None:
        """Keep what was guessed or degraded at ``place``."""
        self._notes += (f"{place}: {note}" for note in notes)

    def collected(self) -> CollectedCards:
        """Everything so far."""
        return CollectedCards(
            tuple(self._cards.values()), tuple(self._skipped), tuple(self._upcoming), tuple(self._notes)
        )
