"""Text for people and JSON for programs, from the same answers."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

if TYPE_CHECKING:
    from rich.console import Console

UNKNOWN = "unknown"
WIDTH = 160
"""Columns of a table that goes to no terminal."""


def plain(value: Any) -> Any:
    """Turn an answer of the library into what JSON can hold: objects become maps, times ISO text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, UUID):
        return str(value)
    if hasattr(value, "owner_kind"):
        return str(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(entry) for key, entry in value.items()}
    if isinstance(value, Iterable):
        return [plain(entry) for entry in value]
    return str(value)


def print_json(value: Any) -> None:
    """Print one JSON document, on one line, in UTF-8 when the text allows it."""
    document = plain(value)
    text = json.dumps(document, ensure_ascii=False)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = json.dumps(document)
    click.echo(text)


def console() -> Console:
    """Return a console on standard output that changes no text on its own."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters with which untrusted text could command a terminal, or turn the order of what it shows; tab and line feed
stay."""

_BREAK = re.compile(r"\s*[\n\u2028\u2029]\s*")


def print_text(text: str) -> None:
    """Print text for people; what the terminal cannot show is replaced, what would command it is taken out."""
    text = CONTROL.sub("", text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "replace").decode(encoding, "replace"))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """Print a table without frames, so that it can be read and cut alike."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(in_one_line(show(cell))) for cell in row))
    console().print(table)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print names and values in two columns; what is None is left out."""
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        if value is not None:
            print_text(f"{name:<{width}}  {in_one_line(show(value))}")


def in_one_line(text: str) -> str:
    """A cell or a value, whose line breaks would look like further rows."""
    return _BREAK.sub(" ", CONTROL.sub("", text))


def show(value: object) -> str:
    """Write a value for people."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return show_time(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 10 else f"{value:,.1f}"
    return str(value)


def show_time(time: datetime | None) -> str:
    """Write an instant in UTC, to the minute, and finer only where it says more."""
    if time is None:
        return UNKNOWN
    from datetime import UTC

    time = time.astimezone(UTC)
    if (time.hour, time.minute, time.second) in ((0, 0, 0), (23, 59, 59)):
        return f"{time:%Y-%m-%d}" + ("" if time.hour else " 00:00")
    return f"{time:%Y-%m-%d %H:%M}" + (f":{time:%S}" if time.second else "")
