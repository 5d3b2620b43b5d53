"""Rows of text files: JSON Lines and tables with a header, each with its line, and what is wrong said in place."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from hybridkb.knowledge.json_keys import unique_keys

TABLES = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")


def json_rows(text: str) -> Iterator[tuple[int, Any]]:
    """Each line's number and value; a line that is not JSON gives a :class:`WrongRow`. Figures stay text."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        yield number, _json_row(line)


def _json_row(line: str) -> Any:
    try:
        return json.loads(line, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=unique_keys)
    except ValueError as error:
        return WrongRow(f"is not JSON: {error}")
    except RecursionError:
        return WrongRow("is nested too deeply")


def table_rows(text: str, name: str) -> Iterator[tuple[int, dict[str, str] | WrongRow]]:
    """Each row's last line and its cells by the header's names; ``name`` tells commas from tabs."""
    delimiter = "\t" if name.lower().endswith(".tsv") else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    try:
        for cells in rows:
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = [cell.strip() for cell in cells]
                if "" in names or len(set(names)) < len(names):
                    yield rows.line_num, WrongRow("is no header: every column needs a name of its own")
                    return
            elif len(cells) > len(names):
                more = f"has {len(cells)} cells, the header {len(names)}"
                yield rows.line_num, WrongRow(f"{more}; put the cell that holds {delimiter!r} in quotes")
            else:
                yield rows.line_num, dict(zip(names, cells, strict=False))
    except csv.Error as error:
        yield rows.line_num, WrongRow(f"cannot be read, nor what follows: {error}")


class WrongRow(str):
    """What is wrong with a row."""
