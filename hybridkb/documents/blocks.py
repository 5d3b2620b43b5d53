"""Blocks: what the readers make of a document before it is cut into passages, each under its heading path."""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_HEADING_CHARACTERS = 300
"""A longer heading is shortened in paths and kept whole as a paragraph of its own."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list item, a table or a stretch of code.

    Attributes:
        text: its words; of a table the rows without the header, one a line.
        heading: the headings above it, outermost first.
        page: physical page, counted from 1; None without pages.
        by_line: its lines stand for themselves (code, rows): it is cut at their ends.
        head: the header row of a table, repeated above every part of it.
        close: belongs to the block before, on the next line.
        leads: announces what follows, and is not left alone at the end of a passage.
    """

    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None
    by_line: bool = False
    head: str = ""
    close: bool = False
    leads: bool = False


@dataclass(slots=True)
class _Open:
    """A heading that is not closed yet, and whether anything stands under it."""

    level: int
    text: str
    used: bool = False


@dataclass(slots=True)
class Outline:
    """Collects blocks under the headings that are open where they stand.

    Levels may be skipped: a heading closes all of its own level and below. A heading with nothing under it becomes a
    block itself, so that its words are found.
    """

    blocks: list[Block] = field(default_factory=list)
    titles: list[tuple[int, str]] = field(default_factory=list)
    _open: list[_Open] = field(default_factory=list)

    @property
    def path(self) -> tuple[str, ...]:
        """The headings that are open, outermost first."""
        return tuple(heading.text for heading in self._open)

    def heading(self, level: int, text: str) -> None:
        """Open a heading of a level, 1 the outermost; blank ones are passed over."""
        whole = " ".join(text.split())
        if not whole:
            return
        self._close_from(level)
        short = whole if len(whole) <= MAX_HEADING_CHARACTERS else whole[: MAX_HEADING_CHARACTERS - 1].rstrip() + "…"
        self._open.append(_Open(level, short))
        self.titles.append((level, short))
        if short is not whole:
            self.add(whole)

    def add(self, text: str, *, by_line: bool = False, head: str = "", close: bool = False) -> None:
        """Put a block under the open headings; blank ones are passed over."""
        if not text.strip() and not head:
            return
        for heading in self._open:
            heading.used = True
        leads = not by_line and len(text) <= MAX_HEADING_CHARACTERS and text.rstrip().endswith(":")
        self.blocks.append(Block(text, self.path, by_line=by_line, head=head, close=close, leads=leads))

    def finish(self) -> list[Block]:
        """Close every heading and hand out the blocks in reading order."""
        self._close_from(0)
        return self.blocks

    def _close_from(self, level: int) -> None:
        while self._open and self._open[-1].level >= level:
            closed = self._open.pop()
            if not closed.used:
                self.add(closed.text)

    def title(self) -> str | None:
        """What the document seems to be called: its first heading of level 1, else its first heading."""
        first = next((text for level, text in self.titles if level == 1), None)
        return first or next((text for _, text in self.titles), None)
