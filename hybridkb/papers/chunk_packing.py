"""Blocks of one outermost section to passages: small neighbours are merged, long ones are cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hybridkb.documents.borders import cut, cut_line
from hybridkb.knowledge.paper_source import TextBlock

_BLANK = 2
_ENDS = re.compile(r"[.!?:;。！？][\"'”’»)\]\d]{0,4}\Z")
_SENTENCE_BEGINS = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])(?=\S)")
_WORD_BEGINS = re.compile(r"\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, or a part of one.

    Attributes:
        page: physical, from 1.
        start, end: its characters in that page's text; no white space at its ends.
        block: what it is taken from.
        heading: titles of the sections around it, outermost first.
        section: number of the section it stands in; outermost: of the outermost one around it.
    """

    page: int
    start: int
    end: int
    block: TextBlock
    heading: tuple[str, ...]
    section: int
    outermost: int

    @property
    def length(self) -> int:
        """In characters."""
        return self.end - self.start

    @property
    def leads(self) -> bool:
        """Whether it announces what follows, and is not left alone at the end of a passage."""
        return self.block.role == "heading"


def pack(
    pieces: Sequence[Piece], texts: dict[int, str], characters: int, overlap: int
) -> list[tuple[list[Piece], list[Piece]]]:
    """Merge and cut the blocks of one outermost section.

    Args:
        pieces: its blocks in reading order.
        texts: the text of each page.
        characters: about how long a passage is.
        overlap: the most that a passage repeats of the one before.

    Returns:
        For each passage what it repeats, and what is its own.
    """
    packed = _Packer(pieces, texts, characters).pack()
    tails = [[], *(_tail(before, texts, overlap) if overlap else [] for before in packed[:-1])]
    return list(zip(tails, packed, strict=True))


class _Packer:
    """Makes the passages; the last of them may still grow."""

    def __init__(self, pieces: Sequence[Piece], texts: dict[int, str], characters: int) -> None:
        self._pieces, self._texts = pieces, texts
        self._characters, self._scrap = characters, characters // 5
        self._done: list[list[Piece]] = []
        self._open: list[Piece] = []

    @property
    def _length(self) -> int:
        return sum(piece.length for piece in self._open) + _BLANK * max(0, len(self._open) - 1)

    def pack(self) -> list[list[Piece]]:
        """Merge and cut all of them."""
        for at in range(len(self._pieces)):
            self._add(at)
        if self._open:
            self._done.append(self._open)
        return self._done

    def _add(self, at: int) -> None:
        piece = self._pieces[at]
        if self._open and self._begins_anew(at) and self._length >= self._scrap:
            self._close()
        ends_section = at + 1 == len(self._pieces) or self._pieces[at + 1].section != piece.section
        if self._fits(piece.length, is_scrap=ends_section and piece.length < self._scrap):
            self._open.append(piece)
            return
        if self._length >= self._scrap:
            self._close()
        if self._fits(piece.length):
            self._open.append(piece)
            return
        self._cut(piece)

    def _begins_anew(self, at: int) -> bool:
        """Whether a passage should begin with this block: a new section, or a page whose text does not go on."""
        piece, last = self._pieces[at], self._open[-1]
        if piece.section != last.section:
            return True
        return piece.page != last.page and not self._goes_on(at)

    def _goes_on(self, at: int) -> bool:
        """Whether the last paragraph before a page break has no end, or one begins behind it that may be its rest."""
        page = self._pieces[at].page
        before = next((one for one in reversed(self._open) if one.block.role == "text"), None)
        behind = (self._pieces[place] for place in range(at, len(self._pieces)))
        after = next((one for one in behind if one.page != page or one.block.role != "caption"), None)
        if before is None or after is None or after.block.role != "text" or after.page != page:
            return False
        return not _ENDS.search(self._text(before)) or self._text(after)[:1].islower()

    def _fits(self, length: int, *, is_scrap: bool = False) -> bool:
        """Whether so much more fits; a scrap may make the passage a fifth longer, and so may what follows a scrap."""
        if not self._open:
            return length <= self._characters + self._scrap
        spare = self._scrap if is_scrap or self._length < self._scrap else 0
        return self._length + _BLANK + length <= self._characters + spare

    def _close(self) -> None:
        """End the open passage, but for a few headings at its end, which go over to the next one."""
        kept = len(self._open)
        while kept > 0 and self._open[kept - 1].leads:
            kept -= 1
        if sum(piece.length for piece in self._open[kept:]) >= self._scrap:
            kept = len(self._open)
        if kept:
            self._done.append(self._open[:kept])
            self._open = self._open[kept:]

    def _cut(self, piece: Piece) -> None:
        """Cut a long block; its first part fills the open passage, its last one stays open."""
        text = self._texts[piece.page][: piece.end]
        find = cut_line if piece.block.role == "table" else cut
        at = piece.start
        room = max(self._characters - self._length - _BLANK * bool(self._open), self._scrap)
        while piece.end - at > room + self._scrap:
            end = find(text, at, at + room)
            self._open.append(replace(piece, start=at, end=at + len(text[at:end].rstrip())))
            self._done.append(self._open)
            self._open = []
            at = end + len(text[end:]) - len(text[end:].lstrip())
            room = self._characters
        if at < piece.end:
            self._open.append(replace(piece, start=at))

    def _text(self, piece: Piece) -> str:
        return self._texts[piece.page][piece.start : piece.end]


def _tail(pieces: Sequence[Piece], texts: dict[int, str], most: int) -> list[Piece]:
    """The end of a passage, at most so many characters, from the beginning of a sentence or else a word."""
    tail: list[Piece] = []
    for piece in reversed(pieces):
        if piece.length <= most:
            tail.insert(0, piece)
            most -= piece.length + _BLANK
            continue
        window = texts[piece.page][piece.end - most : piece.end] if most > 0 else ""
        begins = _SENTENCE_BEGINS.search(window) or _WORD_BEGINS.search(window)
        if begins and begins.end() < len(window):
            tail.insert(0, replace(piece, start=piece.end - most + begins.end()))
        break
    return tail
