"""Times on the command line: a day or a full instant, both read towards seeing less."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import click

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.times import parse_day_or_instant


class Instant(click.ParamType):
    """A day (``2005-01-01``) or an instant (``2005-01-01T09:30:00-05:00``)."""

    name = "time"

    def __init__(self, meaning: Literal["available_at", "cutoff", "as_of"]) -> None:
        self.meaning = meaning

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Read the text; a day alone is read in UTC."""
        if isinstance(value, datetime):
            return value
        try:
            return parse_day_or_instant(str(value), meaning=self.meaning)
        except InvalidInput as error:
            self.fail(str(error), param, ctx)


class Day(click.ParamType):
    """A calendar day, kept as ISO text."""

    name = "day"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that it is a day of the calendar."""
        try:
            return date.fromisoformat(str(value)).isoformat()
        except ValueError:
            self.fail(f"{value!r} is not a day; write YYYY-MM-DD", param, ctx)


CUTOFF = Instant("cutoff")
AS_OF = Instant("as_of")
DAY = Day()
