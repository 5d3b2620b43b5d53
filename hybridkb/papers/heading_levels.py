"""How deep headings stand, by their numbers (``3.2.1``) and by how they are set."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Z](?:\.\d{1,2})+)(?=[.)]?\s+\S)")

Style = tuple[float, bool]
"""Size in half points, and whether it is bold."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading on a page.

    Attributes:
        text: as it stands there.
        page, start: its page from 1, and its first character in that page's text.
        size: of its font, in points. bold: whether it is set bold.
    """

    text: str
    page: int
    start: int
    size: float
    bold: bool

    @property
    def style(self) -> Style:
        """How it is set."""
        return round(self.size * 2) / 2, self.bold

    @property
    def depth(self) -> int | None:
        """The level that its number says, from 0; None without a number that tells."""
        found = _NUMBER.match(" ".join(self.text.split()))
        return found[0].count(".") if found else None


def heading_levels(headings: Sequence[Heading]) -> list[int]:
    """The level of each heading, from 0: as numbered, else as others that are set alike, else by size."""
    known = _known_styles(headings)
    if not known:
        styles = sorted({one.style for one in headings}, key=lambda style: (-style[0], not style[1]))
        return [styles.index(one.style) for one in headings]
    return [one.depth if one.depth is not None else _by_style(one.style, known) for one in headings]


def _known_styles(headings: Sequence[Heading]) -> dict[Style, int]:
    """The level that most numbered headings of a style have."""
    depths: dict[Style, Counter[int]] = defaultdict(Counter)
    for one in headings:
        if one.depth is not None:
            depths[one.style][one.depth] += 1
    return {style: min(counts, key=lambda depth: (-counts[depth], depth)) for style, counts in depths.items()}


def _by_style(style: Style, known: dict[Style, int]) -> int:
    """The level of headings set alike; else one below the next larger, the outermost when none is larger."""
    if style in known:
        return known[style]
    larger = [(size, level) for (size, _), level in known.items() if size >= style[0]]
    if not larger:
        return 0
    nearest = min(size for size, _ in larger)
    level = max(level for size, level in larger if size == nearest)
    return level if nearest == style[0] else level + 1
