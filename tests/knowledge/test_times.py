"""Instants: offsets, rounding, days, and what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.times import from_microseconds, parse_day_or_instant, parse_instant, to_microseconds

NEW_YORK = ZoneInfo("America/New_York")
offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=offsets))
def test_microseconds_are_exact_whatever_the_offset(moment: datetime) -> None:
    back = from_microseconds(to_microseconds(moment))
    assert back == moment
    assert back.tzinfo is UTC


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=offsets))
def test_what_isoformat_writes_is_read_back(moment: datetime) -> None:
    assert parse_instant(moment.isoformat()) == parse_instant(moment) == moment


@given(st.integers(-(10**15), 10**15))
def test_every_count_of_microseconds_comes_back(count: int) -> None:
    assert to_microseconds(from_microseconds(count)) == count


def test_before_1970_counts_negative() -> None:
    assert to_microseconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == -1


def test_offsets_are_compared_as_instants_not_as_text() -> None:
    later, earlier = parse_instant("2024-03-10T23:30:00-05:00"), parse_instant("2024-03-11T03:00:00+00:00")
    assert earlier < parse_instant("2024-03-11T04:00:00Z") < later


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-11T04:00:00Z",
        "2024-03-11T04:00:00.000Z",
        "2024-03-11T04:00:00.0000000000Z",
        "2024-03-11T04:00Z",
        "2024-03-11 04:00:00+00:00",
        "2024-03-11 04:00:00 +0000",
        "2024-03-11t04:00:00,0z",
        "2024-03-10T23:00:00-05",
        " 2024-03-11T09:30:00+05:30 ",
    ],
)
def test_one_instant_has_many_spellings(text: str) -> None:
    assert parse_instant(text) == datetime(2024, 3, 11, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fraction", "up", "down"),
    [
        ("000000", 0, 0),
        ("0000001", 1, 0),
        ("0000009", 1, 0),
        ("123456000", 123_456, 123_456),
        ("1234560000001", 123_457, 123_456),
        ("9999999", 1_000_000, 999_999),
        ("5", 500_000, 500_000),
    ],
)
def test_finer_than_a_microsecond_is_rounded_as_asked(fraction: str, up: int, down: int) -> None:
    text, whole = f"2024-03-11T04:00:00.{fraction}Z", to_microseconds(datetime(2024, 3, 11, 4, tzinfo=UTC))
    assert to_microseconds(parse_instant(text, rounding="up")) - whole == up
    assert to_microseconds(parse_instant(text, rounding="down")) - whole == down


def test_a_datetime_that_knows_nanoseconds_is_rounded_too() -> None:
    class Nano(datetime):
        nanosecond = 7

    moment = Nano(2024, 3, 11, 4, tzinfo=UTC)
    assert parse_instant(moment, rounding="up") == datetime(2024, 3, 11, 4, 0, 0, 1, tzinfo=UTC)
    assert type(parse_instant(moment, rounding="down")) is datetime


@pytest.mark.parametrize("naive", [datetime(2024, 3, 11), "2024-03-11T04:00:00", "2024-03-11 04:00"])
def test_naive_is_refused_with_the_cure(naive: str | datetime) -> None:
    for read in (parse_instant, lambda value: parse_day_or_instant(value, meaning="cutoff")):
        with pytest.raises(InvalidInput, match=r"naive: it has no timezone; .*(Z|utc)"):
            read(naive)


def test_naive_has_no_microseconds() -> None:
    with pytest.raises(InvalidInput, match="naive"):
        to_microseconds(datetime(2024, 3, 11))


@pytest.mark.parametrize(
    "value",
    [
        "2024-03-11",
        date(2024, 3, 11),
        "",
        "yesterday",
        "2024-13-01T00:00:00Z",
        "2024-03-11T25:00:00Z",
        "2024-03-11T04:00:60Z",
        "2024-03-11T04:00.5Z",
        "2024-03-11T04:00:00+24:00",
        "٢٠٢٤-03-11T04:00:00Z",
        "2024-03-11T04:00:00Z\n2024",
        "x" * 10_000,
        1_710_000_000,
        None,
        "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:59:59-05:00",
        "9999-12-31T23:59:59.9999999Z",
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
    ],
)
def test_what_is_no_instant_is_invalid_input(value: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_instant(value)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 300


def test_microseconds_beyond_the_calendar_are_invalid_input() -> None:
    with pytest.raises(InvalidInput, match="years 1 to 9999"):
        from_microseconds(10**18)


@pytest.mark.parametrize("day", ["2024-03-11", date(2024, 3, 11)])
def test_a_day_errs_towards_seeing_less(day: str | date) -> None:
    first, last = datetime(2024, 3, 11, tzinfo=UTC), datetime(2024, 3, 11, 23, 59, 59, 999_999, tzinfo=UTC)
    assert parse_day_or_instant(day, meaning="cutoff") == first
    assert parse_day_or_instant(day, meaning="available_at") == last
    assert parse_day_or_instant(day, meaning="as_of") == last


def test_a_day_follows_its_zone_through_summer_time() -> None:
    assert parse_day_or_instant("2024-03-10", meaning="cutoff", zone=NEW_YORK) == parse_instant("2024-03-10T05:00Z")
    last = parse_day_or_instant("2024-03-10", meaning="available_at", zone="America/New_York")
    assert last == parse_instant("2024-03-11T03:59:59.999999Z")  # a day of 23 hours


def test_a_day_without_midnight_starts_when_it_starts() -> None:
    start = parse_day_or_instant("2018-11-04", meaning="cutoff", zone="America/Sao_Paulo")
    assert start == parse_instant("2018-11-04T01:00:00-02:00")


def test_full_instants_pass_and_are_rounded_by_meaning() -> None:
    text = "2024-03-11T04:00:00.0000001Z"
    assert parse_day_or_instant(text, meaning="cutoff") == parse_instant(text, rounding="down")
    assert parse_day_or_instant(text, meaning="available_at") == parse_instant(text, rounding="up")
    assert parse_day_or_instant(datetime(2024, 3, 11, 4, tzinfo=UTC), meaning="as_of").hour == 4


def test_the_last_day_of_the_calendar_has_an_end() -> None:
    assert parse_day_or_instant("9999-12-31", meaning="as_of").microsecond == 999_999
    with pytest.raises(InvalidInput, match="years 1 to 9999"):
        parse_day_or_instant("9999-12-31", meaning="as_of", zone="America/New_York")
    with pytest.raises(InvalidInput, match="years 1 to 9999"):
        parse_day_or_instant("0001-01-01", meaning="cutoff", zone="Asia/Tokyo")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "", "\0"])
def test_an_unknown_zone_is_invalid_input(zone: str) -> None:
    with pytest.raises(InvalidInput, match="time zone") as caught:
        parse_day_or_instant("2024-03-11", meaning="cutoff", zone=zone)
    assert caught.value.field == "zone"


def test_a_day_that_is_not_in_the_calendar_is_invalid_input() -> None:
    with pytest.raises(InvalidInput, match="not a date"):
        parse_day_or_instant("2024-02-30", meaning="cutoff")
