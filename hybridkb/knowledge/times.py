"""Instants: read from text, kept in UTC, stored as whole microseconds since 1970.

Finer input is rounded so that it never shows something too early: up for the time
something became known, down for a cutoff. A date alone is a day, not an instant;
only :func:`parse_day_or_instant` (command line, front matter, readers) accepts one.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from hybridkb.errors import InvalidInput

__all__ = ["from_microseconds", "parse_day_or_instant", "parse_instant", "to_microseconds"]

Rounding = Literal["up", "down"]
Meaning = Literal["available_at", "cutoff", "as_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2})?)(?:(?<=:\d\d:\d\d)[.,](?P<fraction>\d+))?"
    r" ?(?P<offset>[Zz]|[+-]\d{2}(?::?\d{2}(?::\d{2})?)?)?",
    re.ASCII,
)
_HOW = "write a full instant with its offset, such as 2024-03-11T09:30:00-04:00 or 2024-03-11T13:30:00Z"


def to_microseconds(moment: datetime) -> int:
    """Count the whole microseconds from 1970-01-01T00:00Z to an aware datetime; exact, negative before 1970.

    Raises:
        InvalidInput: the datetime is naive.
    """
    since = _to_utc(moment) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def from_microseconds(microseconds: int) -> datetime:
    """Turn microseconds since 1970-01-01T00:00Z back into an aware datetime in UTC.

    Raises:
        InvalidInput: the year would lie outside 1 to 9999.
    """
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        raise InvalidInput(f"{microseconds} microseconds lie outside the years 1 to 9999") from None


def parse_instant(value: str | date, *, rounding: Rounding = "up") -> datetime:
    """Read a full instant and return it in UTC.

    Args:
        value: an aware datetime, or ISO 8601 text with an offset and any number of fractional digits; a plain date
            is refused.
        rounding: where a fraction finer than a microsecond goes: ``"up"`` (became known) or ``"down"`` (cutoff).

    Raises:
        InvalidInput: naive, a date alone, not an instant at all, or outside the years 1 to 9999.
    """
    if isinstance(value, datetime):
        return _from_datetime(value, rounding)
    if isinstance(value, str):
        return _from_text(value, rounding)
    if isinstance(value, date):
        raise InvalidInput(f"the date {value.isoformat()} alone is not an instant; {_HOW}")
    raise InvalidInput(f"{value!r} is not an instant; {_HOW}")


def parse_day_or_instant(value: str | date, *, meaning: Meaning, zone: str | tzinfo = "UTC") -> datetime:
    """Read an instant, or a date alone, and return an instant in UTC that errs towards seeing less.

    Args:
        value: ISO 8601 text, a date, or an aware datetime.
        meaning: a date alone is its first microsecond as ``"cutoff"``, its last as ``"available_at"`` or ``"as_of"``.
        zone: the zone whose midnight bounds the day: an IANA name or a tzinfo.

    Raises:
        InvalidInput: neither a day nor an instant, or the zone is unknown.
    """
    rounding: Rounding = "down" if meaning == "cutoff" else "up"
    if isinstance(value, datetime):
        return _from_datetime(value, rounding)
    if isinstance(value, str):
        if not _DAY.fullmatch(value.strip()):
            return _from_text(value, rounding)
        value = _read_day(value.strip())
    return _edge_of_day(value, read_zone(zone), first=meaning == "cutoff")


def _from_datetime(value: datetime, rounding: Rounding) -> datetime:
    moment = _to_utc(value)
    finer = getattr(value, "nanosecond", 0)  # pandas.Timestamp is a datetime that knows nanoseconds
    if type(moment) is not datetime:
        moment = datetime.combine(moment.date(), moment.time(), tzinfo=UTC)
    return _round_up(moment) if finer and rounding == "up" else moment


def _to_utc(value: datetime) -> datetime:
    if value.tzinfo is UTC:
        return value
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidInput(
            f"the datetime {value.isoformat()} is naive: it has no timezone; give it one, for example "
            "value.replace(tzinfo=timezone.utc) if it is meant as UTC"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"{value.isoformat()} lies outside the years 1 to 9999 in UTC") from None


def _from_text(text: str, rounding: Rounding) -> datetime:
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        what = "is a date alone, not an instant" if _DAY.fullmatch(text.strip()) else "is not an instant"
        raise InvalidInput(f"{_shorten(text)} {what}; {_HOW}")
    if match["offset"] is None:
        raise InvalidInput(f"{_shorten(text)} is naive: it has no timezone; {_HOW}")
    fraction = match["fraction"] or ""
    offset = "+00:00" if match["offset"] in "Zz" else match["offset"]
    try:
        moment = datetime.fromisoformat(f"{match['day']}T{match['clock']}{offset}")
    except ValueError as error:
        raise InvalidInput(f"{_shorten(text)} is not an instant ({error}); {_HOW}") from None
    moment = _to_utc(moment.replace(microsecond=int(fraction[:6].ljust(6, "0"))))
    return _round_up(moment) if rounding == "up" and fraction[6:].strip("0") else moment


def _round_up(moment: datetime) -> datetime:
    try:
        return moment + _MICROSECOND
    except OverflowError:
        raise InvalidInput("the instant rounds up to a time after the year 9999") from None


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text!r} is not a date ({error}); write YYYY-MM-DD") from None


def read_zone(zone: str | tzinfo) -> tzinfo:
    """Find a time zone by its IANA name.

    Raises:
        InvalidInput: there is none of that name here.
    """
    if isinstance(zone, tzinfo):
        return zone
    if zone.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        raise InvalidInput(
            f"{zone!r} is not a known time zone; write an IANA name such as America/New_York "
            "(on a system without zone data: pip install tzdata)",
            field="zone",
        ) from None


def _edge_of_day(day: date, zone: tzinfo, *, first: bool) -> datetime:
    """The first microsecond of a local day, or the last: the one before the next local midnight."""
    try:
        if first:
            return _midnight(day, zone)
        if day == date.max:
            return _to_utc(datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=zone))
        return _midnight(day + timedelta(days=1), zone) - _MICROSECOND
    except OverflowError:
        raise InvalidInput(f"{day.isoformat()} lies outside the years 1 to 9999 in UTC") from None


def _midnight(day: date, zone: tzinfo) -> datetime:
    return _to_utc(datetime(day.year, day.month, day.day, tzinfo=zone))


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
