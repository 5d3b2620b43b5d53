"""Makes the long tables of ``examples/desk/tables``: ``python tests/desk/make_tables.py``.

Invented prices, halts, rates and dates that agree with what the desk's texts say about them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

TABLES = Path(__file__).resolve().parents[2] / "examples" / "desk" / "tables"

# What the texts tell about copper; between these days the price walks on its own.
_ANCHORS = (
    (date(2019, 1, 2), 5894.0), (date(2020, 1, 15), 6288.0), (date(2020, 3, 23), 4652.5),
    (date(2021, 5, 10), 10412.0), (date(2022, 7, 14), 7012.5), (date(2023, 1, 18), 9306.0),
    (date(2023, 10, 20), 7948.5), (date(2023, 11, 20), 8401.0), (date(2024, 2, 26), 8420.0),
    (date(2024, 2, 27), 8614.0), (date(2024, 4, 30), 9955.0), (date(2024, 5, 20), 10820.5),
    (date(2024, 8, 7), 8762.0), (date(2024, 10, 31), 9411.5),
)  # fmt: skip
_CLOSED = {(1, 1), (5, 1), (12, 25), (12, 26)}
_USUAL_PRICES = {
    "MRDN": 35.2, "CSTL": 14.1, "ZPHR": 21.8, "TSSL": 60.4, "LMNR": 10.3, "ORLF": 47.5, "HVL.B": 208.0, "NCOP": 109.0,
    "BFJ": 140.0, "PGP": 86.5, "KSTL": 7.2, "ODVR": 55.0, "RTVK": 3.6, "HEXN": 27.4, "GRNF": 0.84, "SVLB": 18.9,
    "TMBR": 1.72, "QNDL": 72.3, "FJRD": 31.0, "BYGG": 12.6, "ALDR": 5.4, "KVRN": 164.0,
}  # fmt: skip
_BORROW = {
    "CSTL": (2.4, {"2023-02": 6.5, "2023-03": 31.0, "2023-04": 19.5, "2023-05": 11.0}),
    "HVL.A": (6.0, {"2022-08": 8.9, "2022-09": 9.0}),
    "HVL.B": (0.3, {}),
    "LMNR": (3.2, {"2023-08": 12.4, "2023-09": 9.1}),
    "MRDN": (0.9, {"2024-06": 4.8, "2024-07": 7.7, "2024-08": 5.2}),
    "NCOP": (0.6, {"2024-03": 3.9}),
    "ORLF": (1.1, {"2021-11": 18.0, "2021-12": 9.4}),
    "TSSL": (1.4, {"2022-08": 3.3}),
    "ZPHR": (1.9, {"2022-10": 5.6}),
}  # fmt: skip


def copper_prices() -> Iterator[str]:
    """Settlement of the third month in dollars a tonne and lots traded, each business day."""
    chance = Random(21)
    yield "date,contract,settlement,volume"
    before = _ANCHORS[0][1]
    for (start, low), (end, high) in pairwise(_ANCHORS):
        days = list(business_days(start, end))
        if start != _ANCHORS[0][0]:
            days = days[1:]
        for number, price in enumerate(_bridge(chance, low, high, len(days))):
            day = days[number]
            volume = 9_000 + int(14_000 * chance.random() ** 2 + 40 * abs(price - before))
            yield f"{day},{third_month(day)},{price:.2f},{volume}"
            before = price


def _bridge(chance: Random, low: float, high: float, steps: int) -> list[float]:
    """A walk of so many steps that leaves `low` and ends at `high`, in steps of half a dollar."""
    moves = [(sum(chance.random() for _ in range(12)) - 6) * 0.011 for _ in range(steps)]
    walk, at = [], 0.0
    for move in moves:
        at += move
        walk.append(at)
    return [
        round(2 * (low + (high - low) * (i + 1) / steps) * (1 + walk[i] - walk[-1] * (i + 1) / steps)) / 2
        for i in range(steps)
    ]


def business_days(start: date, end: date) -> Iterator[date]:
    """Days from `start` to `end`, both included, without weekends and four holidays."""
    for number in range((end - start).days + 1):
        day = start + timedelta(days=number)
        if day.weekday() < 5 and (day.month, day.day) not in _CLOSED:
            yield day


def third_month(day: date) -> str:
    """The contract of the third listed month."""
    month = day.month + 2
    return f"CUF{'FGHJKMNQUVXZ'[(month - 1) % 12]}{(day.year + (month - 1) // 12) % 10}"


def expiry_calendar() -> Iterator[str]:
    """First notice and last trading day of every copper contract of 2024 and 2025."""
    yield "contract,delivery_month,first_notice_day,last_trading_day,roll_from"
    for year in (2024, 2025):
        for month in range(1, 13):
            first = date(year, month, 1)
            notice = last_business_day(first - timedelta(days=1))
            last = first + timedelta(days=(2 - first.weekday()) % 7 + 14)
            roll = notice
            for _ in range(10):
                roll = last_business_day(roll - timedelta(days=1))
            yield f"CUF{'FGHJKMNQUVXZ'[month - 1]}{year % 10},{first:%Y-%m},{notice},{last},{roll}"


def last_business_day(day: date) -> date:
    """The day itself, or the nearest business day before it."""
    while day.weekday() > 4 or (day.month, day.day) in _CLOSED:
        day -= timedelta(days=1)
    return day


def halts() -> Iterator[str]:
    """Trading halts of 2024: those that the texts mention, and ordinary ones."""
    chance = Random(2024)
    yield "date,time,ticker,reason,reference,last_price,minutes,extended"
    rows = {
        "2024-02-27 09:00:00,NCOP,N1,112.40,112.40,455,no", "2024-05-14 10:17:22,PGP,V2,88.15,80.90,5,no",
        "2024-06-04 15:02:41,MRDN,N4,36.72,36.72,118,no", "2024-07-18 09:03:08,ZPHR,V1,21.46,20.79,5,no",
        "2024-08-05 09:11:55,CSTL,V2,14.02,12.86,10,yes", "2024-08-05 09:12:31,BFJ,V2,143.60,131.95,5,no",
        "2024-11-18 13:40:19,LMNR,V2,9.77,8.71,10,yes", "2024-12-04 11:25:00,TSSL,T9,61.30,61.32,47,no",
    }  # fmt: skip
    days = list(business_days(date(2024, 1, 2), date(2024, 12, 30)))
    while len(rows) < 96:
        day, ticker = chance.choice(days), chance.choice(list(_USUAL_PRICES))
        seconds = 32_400 + int(chance.random() ** 2 * 29_000)
        reference = round(_USUAL_PRICES[ticker] * (0.86 + 0.28 * chance.random()), 2)
        band = chance.choice((0.03, 0.04, 0.06, 0.1)) + chance.random() / 300
        last = reference * (1 + band * chance.choice((-1, -1, 1)))
        reason = "V2" if band > 0.08 else "V1"
        clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        rows.add(f"{day} {clock},{ticker},{reason},{reference:.2f},{last:.2f},{10 if band > 0.05 else 5},no")
    yield from (row.replace(" ", ",", 1) for row in sorted(rows))


def borrow_rates() -> Iterator[str]:
    """The yearly rate for borrowing a share, in the middle of each month, and how many could be had."""
    chance = Random(7)
    yield "month,ticker,rate_pct,shares_available"
    for year in range(2021, 2025):
        for month in range(1, 13):
            for ticker, (usual, special) in _BORROW.items():
                rate = special.get(f"{year}-{month:02}", round(usual * (0.85 + 0.3 * chance.random()), 2))
                available = int(2_000_000 / (1 + rate) ** 2 * (0.5 + chance.random())) // 100 * 100
                yield f"{year}-{month:02},{ticker},{rate:.2f},{available}"


def tables() -> dict[str, bytes]:
    """Every table by its file name."""
    makers: dict[str, Iterable[str]] = {
        "cuf-copper-settlements.csv": copper_prices(),
        "expiry-calendar.csv": expiry_calendar(),
        "halts-2024.csv": halts(),
        "borrow-rates.csv": borrow_rates(),
    }
    return {name: ("\n".join(lines) + "\n").encode() for name, lines in makers.items()}


if __name__ == "__main__":
    for name, data in tables().items():
        (TABLES / name).write_bytes(data)
