"""The table of folder.md: from when on a file's text may be shown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hybridkb.documents import FrontMatter
from hybridkb.errors import InvalidInput
from hybridkb.folder.times import file_time, information_cutoff, next_availability, removal_time, wanted_availability
from hybridkb.knowledge.times import from_microseconds, to_microseconds
from hybridkb.store.canonical import ItemState, StoredRevision

NOW = 1_000
LAST = to_microseconds(datetime.max.replace(tzinfo=UTC))


def state(*known: int | None, withdrawn: tuple[int, ...] = ()) -> ItemState:
    revisions = [StoredRevision(number, at, 0, b"", 0) for number, at in enumerate(known)]
    return ItemState(1, "id", "document", revisions, list(withdrawn))


@pytest.mark.parametrize(
    ("held", "wanted", "moved", "expected"),
    [
        (None, None, False, None),
        (None, 5, False, 5),
        (None, 5, True, NOW),
        (None, 2_000, True, 2_000),
        (None, None, True, None),
        (state(None), None, False, None),
        (state(None), 5, False, 5),
        (state(10), 20, False, 20),
        (state(10), 20, True, NOW),
        (state(10), 10, False, NOW),
        (state(10), 5, False, NOW),
        (state(10), None, False, NOW),
        (state(10, 50), 20, False, NOW),
        (state(2_000), 5, False, 2_001),
        (state(2_000), 3_000, False, 3_000),
        (state(10, withdrawn=(40,)), 30, False, NOW),
        (state(10, withdrawn=(40,)), 50, False, 50),
        (state(10, withdrawn=(2_000,)), 10, False, 2_001),
        (state(LAST), 10, False, LAST),
    ],
)
def test_next_availability(held: ItemState | None, wanted: int | None, moved: bool, expected: int | None) -> None:
    assert next_availability(held, wanted, now=NOW, moved=moved) == expected


def test_nothing_follows_a_withdrawal_at_the_last_instant_there_is() -> None:
    with pytest.raises(InvalidInput, match="purge the item"):
        next_availability(state(LAST, withdrawn=(LAST,)), None, now=NOW, moved=False)


def test_what_is_gone_was_shown_until_now_or_would_have_been_shown_later() -> None:
    assert removal_time(state(10), NOW) == NOW
    assert removal_time(state(2_000), NOW) == 2_000
    assert removal_time(state(None), NOW) == NOW


def test_a_file_time_is_rounded_up_and_none_is_none() -> None:
    assert file_time(1_700_000_000_000_000_001) == 1_700_000_000_000_001
    for nothing in (0, 1_000_000_000, 315_532_800_000_000_000, -1, 10**24):
        assert file_time(nothing) is None


def test_what_a_file_says_comes_before_the_setting() -> None:
    stamp = 1_700_000_000_000_000_000
    says = FrontMatter(available_at=from_microseconds(7), published_at=from_microseconds(8))
    published = FrontMatter(published_at=from_microseconds(8))
    refused = FrontMatter(published_at=from_microseconds(8), refused=("available_at",))
    for setting in ("unknown", "file-time", "name-date"):
        assert wanted_availability(says, "2024-03-04.md", stamp, setting, "UTC") == 7  # type: ignore[arg-type]
        assert wanted_availability(published, "2024-03-04.md", stamp, setting, "UTC") == 8  # type: ignore[arg-type]
        assert wanted_availability(refused, "2024-03-04.md", stamp, setting, "UTC") is None  # type: ignore[arg-type]


def test_the_day_in_a_name_ends_in_the_librarys_zone() -> None:
    nothing = FrontMatter()
    at = wanted_availability(nothing, "2024-03-04.md", 0, "name-date", "America/New_York")
    assert from_microseconds(at or 0).isoformat() == "2024-03-05T04:59:59.999999+00:00"


def test_nothing_knows_what_came_after_it_was_available() -> None:
    nothing, stamp = FrontMatter(), 1_700_000_000_000_000_000
    assert information_cutoff(nothing, "a.md", stamp, None, "UTC") == stamp // 1000
    assert information_cutoff(nothing, "a.md", stamp, 5, "UTC") == 5
    assert information_cutoff(nothing, "2024-03-04.md", stamp, 5, "UTC") == 5
    assert information_cutoff(FrontMatter(as_of=from_microseconds(9)), "a.md", stamp, 5, "UTC") == 9
    assert information_cutoff(nothing, "a.md", 0, None, "UTC") == 0
