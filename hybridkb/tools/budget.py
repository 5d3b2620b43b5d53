"""Makes an answer fit: first snippets of every hit, then whole passages, best hits first, while there is room.

The bound holds for the whole answer as ``json.dumps`` writes it, every character outside ASCII escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from hybridkb.tools.safe_text import ELLIPSIS, clip, fenced, serialised

LEAST_CHARACTERS = 500
MOST_CHARACTERS = 200_000
_LEVELS = ((600, 300), (240, 160), (120, 80), (50, 50))  # what a snippet, and a title or path, may take
_BARE = ("n", "path", "page", "available_at", "locator")  # at the last level: enough to cite, and to get the rest by


@dataclass(frozen=True, slots=True)
class Quote:
    """A hit that waits for its place in an answer.

    Attributes:
        card: makes what it says besides its text, given what a title or path may take.
        snippet: its best part.
        text: the whole passage; None when the snippet shows all of it.
    """

    card: Callable[[int], dict[str, Any]]
    snippet: str
    text: str | None


class QuoteFitter:
    """Puts hits under the head of an answer, as many and as long as fit."""

    def __init__(self, head: dict[str, Any], quotes: Sequence[Quote], fence: str, max_chars: int, rest: str) -> None:
        """Keep what every attempt needs.

        Args:
            head: what the answer says in any case; it fits by itself.
            quotes: the hits, best first.
            fence: the name on the fences.
            max_chars: characters that the serialised answer may take.
            rest: how to get what was cut.
        """
        self._head = head
        self._quotes = quotes
        self._fence = fence
        self._max_chars = max_chars
        self._rest = rest
        self._levels: dict[int, list[tuple[dict[str, Any], bool]]] = {}

    def answer(self) -> dict[str, Any]:
        """The longest answer that fits; hits are worth more than their length."""
        count = self._count()
        level = next((one for one in range(len(_LEVELS)) if self._fits(self._made(count, one))), len(_LEVELS) - 1)
        whole: set[int] = set()
        for place, quote in enumerate(self._quotes[:count]):
            if quote.text is not None and self._fits(self._made(count, level, whole | {place})):
                whole.add(place)
        return self._made(count, level, whole)

    def _count(self) -> int:
        """How many hits fit at their shortest."""
        shortest = len(_LEVELS) - 1
        if self._fits(self._made(len(self._quotes), shortest)):
            return len(self._quotes)
        low, high = 0, max(0, len(self._quotes) - 1)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._fits(self._made(middle, shortest)) else (low, middle - 1)
        return low

    def _fits(self, answer: dict[str, Any]) -> bool:
        return serialised(answer) <= self._max_chars

    def _made(self, count: int, level: int, whole: Collection[int] = ()) -> dict[str, Any]:
        hits, shortened = [], []
        for place, (card, was_cut) in enumerate(self._cards(level)[:count]):
            text = self._quotes[place].text
            if place in whole and text is not None:
                card = {**card, "text": fenced(text, self._fence)}
            elif text is not None or was_cut:
                shortened.append(place + 1)
            hits.append(card)
        left_out = len(self._quotes) - count
        cut = {"left_out": left_out, "shortened": shortened, "rest": self._rest}
        return {**self._head, "count": count, "truncated": cut if left_out or shortened else None, "hits": hits}

    def _cards(self, level: int) -> list[tuple[dict[str, Any], bool]]:
        """The cards with snippets of one level of brevity, and whether the snippet was cut for it."""
        if level not in self._levels:
            width, names = _LEVELS[level]
            shown = [(quote, around_match(quote.snippet, width)) for quote in self._quotes]
            bare = level == len(_LEVELS) - 1
            self._levels[level] = [
                (
                    (_bare(quote.card(names)) if bare else quote.card(names))
                    | {"snippet": fenced(snippet, self._fence)},
                    bare or snippet != quote.snippet,
                )
                for quote, snippet in shown
            ]
        return self._levels[level]


def _bare(card: dict[str, Any]) -> dict[str, Any]:
    """What a card cannot do without; the title where there is no path."""
    return {key: card[key] for key in _BARE if key in card} | ({} if "path" in card else {"title": card["title"]})


def around_match(snippet: str, limit: int) -> str:
    """Cut a snippet so that its first matched word stays in sight."""
    if serialised(snippet) - 2 <= limit:
        return snippet
    start = max(0, snippet.find("[") - limit // 4)
    return clip((ELLIPSIS if start else "") + snippet[start:].lstrip(), limit)
