"""Dates in file names: those that can be read in one way only."""

from __future__ import annotations

from datetime import date

import pytest

from hybridkb.folder.name_dates import NameDate, date_in_name

DAYS = {
    "2024-03-04.md": date(2024, 3, 4),
    "notes/20240304-gap.md": date(2024, 3, 4),
    "gap 2024.03.04.txt": date(2024, 3, 4),
    "gap_2024_03_04_v2.csv": date(2024, 3, 4),
    "2024-01-01_to_2024-03-31.csv": date(2024, 3, 31),
    "2024-02-29.md": date(2024, 2, 29),
    "1999-12-31 review 2023-Q1.md": date(1999, 12, 31),
}
PERIODS = {
    "2024-03.md": date(2024, 3, 31),
    "letter_2023_02.pdf": date(2023, 2, 28),
    "Q1 2024 outlook.pdf": date(2024, 3, 31),
    "results-q4-2023.md": date(2023, 12, 31),
    "2024Q2.csv": date(2024, 6, 30),
    "2024-Q3 call.txt": date(2024, 9, 30),
}
NONE = [
    "annual report 2024.pdf", "04-03-2024.md", "04.03.2024.md", "2023-02-29.md", "20241340.md", "2024-13.md",
    "1234567890.csv", "120240304.md", "2024-03-0412.md", "Q5 2024.md", "FQ12024x.md", "2024-03-04/notes.md", "x.md",
]  # fmt: skip


@pytest.mark.parametrize(("name", "day"), DAYS.items())
def test_a_day_in_a_name(name: str, day: date) -> None:
    assert date_in_name(name) == NameDate(day, exact=True)


@pytest.mark.parametrize(("name", "day"), PERIODS.items())
def test_a_month_or_quarter_is_its_last_day(name: str, day: date) -> None:
    assert date_in_name(name) == NameDate(day, exact=False)


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_date_or_could_be_another(name: str) -> None:
    assert date_in_name(name) is None
