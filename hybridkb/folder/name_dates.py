"""Dates in file names: ``2024-03-04``, ``20240304``, ``2024_03``, ``Q1 2024``."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_. ]?)(\d\d)\2(\d\d)(?!\d)", re.ASCII)
_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_. ](\d\d)(?![-_. ]?\d)", re.ASCII)
_QUARTER = re.compile(
    r"(?<![A-Za-z0-9])Q([1-4])[-_. ]?((?:19|20)\d\d)(?!\d)|(?<!\d)((?:19|20)\d\d)[-_. ]?Q([1-4])(?![A-Za-z0-9])",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NameDate:
    """A date in a file's name.

    Attributes:
        last: the day, or the last day of the month or quarter.
        exact: whether the name gives a day.
    """

    last: date
    exact: bool


def date_in_name(path: str) -> NameDate | None:
    """Find the date in a file's own name; None without one.

    Days count before months and quarters; of several, the latest. A year alone is none, nor are dates that begin with
    the day or the month, since nobody could tell which.
    """
    name = path.rpartition("/")[2].rpartition(".")[0]
    days = list(_days(name))
    if days:
        return NameDate(max(days), exact=True)
    rest = _DAY.sub(" ", name)
    periods = [*_months(rest), *_quarters(rest)]
    return NameDate(max(periods), exact=False) if periods else None


def _days(name: str) -> Iterator[date]:
    for year, _, month, day in _DAY.findall(name):
        try:
            yield date(int(year), int(month), int(day))
        except ValueError:
            continue


def _months(name: str) -> Iterator[date]:
    for year, month in _MONTH.findall(name):
        if 1 <= int(month) <= 12:
            yield _last_of(int(year), int(month))


def _quarters(name: str) -> Iterator[date]:
    for quarter, year, other_year, other_quarter in _QUARTER.findall(name):
        yield _last_of(int(year or other_year), 3 * int(quarter or other_quarter))


def _last_of(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])
