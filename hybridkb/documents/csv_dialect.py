"""How a table file is written: which character parts its cells, and what stands above the table."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence

DELIMITERS = "\t;|,"
"""What may part cells; of equally good ones the first, since a comma stands inside text and numbers too."""

_SAMPLE_LINES = 200
_SAMPLE_CHARACTERS = 100_000
_DECLARED = re.compile(r"sep=(.)\n", re.IGNORECASE)


def find_delimiter(text: str, *, prefer_tab: bool = False) -> tuple[str, int]:
    """Tell the delimiter of a table file.

    Args:
        text: the file.
        prefer_tab: whether the name promises tabs.

    Returns:
        The delimiter (a comma when there is a single column), and how many characters declare it (``sep=;``) and are
        no row.
    """
    declared = _DECLARED.match(text)
    if declared is not None and declared[1] in DELIMITERS:
        return declared[1], declared.end()
    lines = text[:_SAMPLE_CHARACTERS].split("\n")
    sample = lines[:_SAMPLE_LINES] if len(lines) > 1 else lines
    if len(sample) > 1 and len(text) > _SAMPLE_CHARACTERS and len(sample) == len(lines):
        sample.pop()  # cut in the middle
    if prefer_tab and sum("\t" in line for line in sample) * 2 > sum(bool(line.strip()) for line in sample):
        return "\t", 0
    scores = {delimiter: _score(sample, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: scores[delimiter])
    return (best if scores[best] else ","), 0


def _score(lines: Sequence[str], delimiter: str) -> float:
    """The share of rows that have the usual number of cells, when that is more than one."""
    widths = Counter(len(row) for row in _rows(lines, delimiter) if any(cell.strip() for cell in row))
    if not widths:
        return 0.0
    usual, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    if usual > 1:
        return round(count / widths.total(), 2)
    several = max((number for width, number in widths.items() if width > 2), default=0)
    return round(several / widths.total() / 2, 2) if several > 1 else 0.0  # a few rows under many lines of text


def _rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader([line + "\n" for line in lines], delimiter=delimiter))
    except csv.Error:
        return list(csv.reader([line + "\n" for line in lines], delimiter=delimiter, quoting=csv.QUOTE_NONE))
