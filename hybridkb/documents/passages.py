"""Blocks to passages: small neighbours under one heading are merged, long ones are cut.

A passage never mixes headings or pages, so an edit moves passages of its own section only. Nothing overlaps and no
word is lost; only the white space at a cut and the header of a table, which every part of it repeats, are not as
written. A passage holds at most the characters asked for, and up to a fifth more when only a scrap would be left over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from hybridkb.documents.blocks import Block
from hybridkb.documents.borders import cut, cut_line
from hybridkb.documents.document import Passage


def make_passages(blocks: Iterable[Block], characters: int) -> Iterator[Passage]:
    """Cut and merge blocks into passages of about so many characters, in reading order."""
    for (heading, page), group in groupby(blocks, key=lambda block: (block.heading, block.page)):
        for text in _Packer(characters).pack(list(group)):
            yield Passage(text, heading, page)


def cut_text(text: str, characters: int, *, by_line: bool = False, first: int | None = None) -> list[str]:
    """Cut one text into pieces of at most so many characters, the last up to a fifth longer.

    Args:
        text: what to cut; line breaks at its ends are dropped.
        characters: the most a piece may hold.
        by_line: whether lines are kept whole where they can be.
        first: the most that the first piece may hold, if another.
    """
    text = text.strip("\n").rstrip()
    pieces: list[str] = []
    find = cut_line if by_line else cut
    at, room = 0, first or characters
    while len(text) - at > room + characters // 5:
        end = find(text, at, at + room)
        pieces.append(text[at:end].rstrip())
        at = _skip_blank(text, end, by_line)
        room = characters
    pieces.append(text[at:].rstrip())
    return [piece for piece in pieces if piece.strip()]


def _skip_blank(text: str, at: int, by_line: bool) -> int:
    """Behind the white space at a cut; the indent of a line of code stays."""
    end = at
    while end < len(text) and text[end].isspace():
        end += 1
    if by_line and (line := text.rfind("\n", at, end)) >= 0:
        return line + 1
    return end


class _Packer:
    """Makes the passages of one section; the last of them may still grow."""

    def __init__(self, characters: int) -> None:
        self._characters = characters
        self._scrap = characters // 5
        self._done: list[str] = []
        self._open: list[tuple[str, str, bool]] = []  # what joins it to the text before, the text, whether it leads
        self._length = 0

    def pack(self, blocks: list[Block]) -> list[str]:
        """Merge and cut the blocks of a section."""
        for position, block in enumerate(blocks):
            self._add(block, is_last=position == len(blocks) - 1)
        self._finish()
        return self._done

    def _add(self, block: Block, *, is_last: bool) -> None:
        whole = _whole(block)
        if not whole:
            return
        glue = "\n" if block.close else "\n\n"
        if self._fits(len(whole), is_scrap=is_last and len(whole) < self._scrap):
            self._append(glue, whole, block.leads)
            return
        self._make_room()
        if self._fits(len(whole)):
            self._append(glue, whole, block.leads)
            return
        pieces = _parts(block, self._characters, self._characters - self._length - len(glue))
        for piece in pieces:
            self._append(glue, piece, block.leads)
            if piece is not pieces[-1]:
                self._finish()

    def _fits(self, length: int, *, is_scrap: bool = False) -> bool:
        """Whether so much more fits; a scrap may make the passage a fifth longer, and so may what follows a scrap."""
        if not self._open:
            return length <= self._characters + self._scrap
        spare = self._scrap if is_scrap or self._length < self._scrap else 0
        return self._length + 2 + length <= self._characters + spare

    def _append(self, glue: str, text: str, leads: bool) -> None:
        self._length += len(text) + (len(glue) if self._open else 0)
        self._open.append((glue, text, leads))

    def _make_room(self) -> None:
        """Close the open passage, but for what leads over to the text that comes, and for a scrap alone."""
        if self._length < self._scrap:
            return
        kept = len(self._open)
        while kept > 1 and self._open[kept - 1][2]:
            kept -= 1
        leading = self._open[kept:]
        self._open = self._open[:kept]
        self._finish()
        for item in leading:
            self._append(*item)

    def _finish(self) -> None:
        if self._open:
            (_, first, _), *others = self._open
            self._done.append("".join([first, *(glue + text for glue, text, _ in others)]))
        self._open = []
        self._length = 0


def _whole(block: Block) -> str:
    text = block.text.strip("\n").rstrip()
    return f"{block.head}\n{text}".rstrip() if block.head else text


def _parts(block: Block, characters: int, first: int) -> list[str]:
    """The pieces of a block; those of a table each under its header, unless the header is as long as a passage."""
    first = max(first, characters // 5)
    head = len(block.head) + 1 if block.head else 0
    if not head:
        return cut_text(block.text, characters, by_line=block.by_line, first=first)
    if head > characters // 2:
        return cut_text(_whole(block), characters, by_line=True, first=first)
    pieces = cut_text(block.text, characters - head, by_line=True, first=max(first - head, characters // 5))
    return [f"{block.head}\n{piece}" for piece in pieces] or [block.head]
