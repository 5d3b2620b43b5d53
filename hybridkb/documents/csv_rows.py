"""The rows of a table file, with the line each begins on; a quote that is never closed swallows one line at most."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field

_MOST_OPEN_QUOTES = 20
_MOST_LINES_OF_A_CELL = 1000


@dataclass(slots=True)
class Rows:
    """Reads the rows of a text once.

    Attributes:
        text: the file's text.
        delimiter: what parts its cells.
        open_quotes: the lines on which a quote was opened and never closed; filled while rows are read.
    """

    text: str
    delimiter: str
    open_quotes: list[int] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line, counted from 1, and the cells of every row, blank ones too."""
        lines = self.text.split("\n")
        at = 0
        while at < len(lines):
            quoting = csv.QUOTE_NONE if len(self.open_quotes) >= _MOST_OPEN_QUOTES else csv.QUOTE_MINIMAL
            taken = at
            for number, row, after in self._read(lines, at, quoting):
                taken = after
                yield number, row
            if taken >= len(lines):
                return
            if '"' in lines[taken]:
                self.open_quotes.append(taken + 1)
            whole = next(self._read(lines[: taken + 1], taken, csv.QUOTE_NONE), None)
            yield taken + 1, whole[1] if whole is not None else lines[taken].split(self.delimiter)
            at = taken + 1

    def _read(self, lines: list[str], first: int, quoting: int) -> Iterator[tuple[int, list[str], int]]:
        """Rows from a line on, with the line each begins on and the index behind it; ends before an open quote."""
        source = (lines[at] + "\n" for at in range(first, len(lines)))
        reader = csv.reader(source, delimiter=self.delimiter, quoting=quoting)  # type: ignore[arg-type]
        begun = first
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:  # a cell beyond the module's limit: the quote before it was never closed
                return
            after = first + reader.line_num
            if after - begun > 1 and self._is_open(lines, begun, after):
                return
            yield begun + 1, row, after
            begun = after

    def _is_open(self, lines: list[str], begun: int, after: int) -> bool:
        """Whether a row of several lines ends with the file inside a quote, or is longer than any cell would be."""
        if after - begun > _MOST_LINES_OF_A_CELL:
            return True
        return after >= len(lines) and sum(lines[at].count('"') for at in range(begun, after)) % 2 == 1
