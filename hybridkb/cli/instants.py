"""Times on the command line: a day or a full instant, both read towards seeing less."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import click

from hybridkb.cli.session import zone_of_library
from hybridkb.errors import InvalidInput
from hybridkb.knowledge.times import parse_day_or_instant


def cutoff(text: str) -> datetime:
    """Read a bound of a search: a day alone means its first microsecond, in the library's zone."""
    return _read(text, "cutoff")


def as_of(text: str) -> datetime:
    """Read the time that knowledge is about: a day alone means its last microsecond, in the library's zone."""
    return _read(text, "as_of")


def availability(text: str) -> datetime:
    """Read when something became observable: a day alone means its last microsecond, in the library's zone."""
    return _read(text, "available_at")


def day(text: str) -> str:
    """Read a day of the calendar and keep it as ISO text."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a day; write YYYY-MM-DD") from None


def _read(text: str, meaning: Literal["cutoff", "as_of", "available_at"]) -> datetime:
    try:
        return parse_day_or_instant(text, meaning=meaning, zone=zone_of_library())
    except InvalidInput as error:
        raise click.BadParameter(f"{error}; or a day alone, such as 2024-03-11") from None
