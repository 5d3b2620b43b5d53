"""When did a file become observable, and up to when does it know? As it says itself, and as what follows a revision."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from hybridkb.documents import FrontMatter
from hybridkb.errors import InvalidInput
from hybridkb.folder.name_dates import date_in_name
from hybridkb.folder.settings import Availability
from hybridkb.knowledge.times import parse_day_or_instant, to_microseconds
from hybridkb.store.canonical import ItemState

_EARLIEST = to_microseconds(datetime(1980, 1, 2, tzinfo=UTC))
_LATEST = to_microseconds(datetime(9999, 12, 31, tzinfo=UTC))
_LAST = to_microseconds(datetime.max.replace(tzinfo=UTC))


def wanted_availability(
    front_matter: FrontMatter, path: str, modified_ns: int, setting: Availability, zone: str | tzinfo
) -> int | None:
    """When a file says that it became observable, or the setting says so; None is unknown.

    What the file says itself comes first, then when it was published, then the setting. A file that says something
    unusable stays unknown.
    """
    if front_matter.available_at is not None:
        return to_microseconds(front_matter.available_at)
    if "available_at" in front_matter.refused:
        return None
    if front_matter.published_at is not None:
        return to_microseconds(front_matter.published_at)
    if setting == "file-time":
        return file_time(modified_ns)
    dated = date_in_name(path) if setting == "name-date" else None
    if dated is None or not dated.exact:
        return None
    return to_microseconds(parse_day_or_instant(dated.last, meaning="available_at", zone=zone))


def information_cutoff(
    front_matter: FrontMatter, path: str, modified_ns: int, available_at: int | None, zone: str | tzinfo
) -> int:
    """Up to when a file knows: as it says, else by the date in its name, else by its own time.

    What the file does not say itself is no later than its availability: nothing knows what came after it.
    """
    if front_matter.as_of is not None:
        return to_microseconds(front_matter.as_of)
    dated = date_in_name(path)
    if dated is None:
        moment = file_time(modified_ns)
    else:
        moment = to_microseconds(parse_day_or_instant(dated.last, meaning="as_of", zone=zone))
    return min((time for time in (moment, available_at) if time is not None), default=0)


def file_time(modified_ns: int) -> int | None:
    """A file's time in microseconds, rounded up; None where the file has none.

    Archives and build tools that keep no times write 1970 or the first day of 1980; nothing is as old as that.
    """
    microseconds = -(-modified_ns // 1000)
    return microseconds if _EARLIEST <= microseconds <= _LATEST else None


def next_availability(state: ItemState | None, wanted: int | None, *, now: int, moved: bool) -> int | None:
    """From when on new content of a file may be shown, so that searches see it now and no past is touched.

    Args:
        state: what the library holds of the item; None when nothing.
        wanted: when the content says it became observable; None is unknown.
        now: the instant of the refresh.
        moved: whether the library showed the same content under another name before.

    Returns:
        ``wanted`` for what nobody could see before, and for what is later than all that is known. Otherwise ``now``:
        the text that stood there until now was the one to be seen, whatever the new one says. All in microseconds
        since 1970 UTC; None stays unknown. What is known up to the last instant there is stays at that instant.

    Raises:
        InvalidInput: it was withdrawn at that instant; nothing can follow.
    """
    known = state.revisions[-1].available_at if state is not None and state.revisions else None
    if known is None:
        return max(wanted, now) if moved and wanted is not None else wanted
    assert state is not None
    latest = max([known, *state.withdrawals])
    if wanted is not None and wanted > latest:
        return max(wanted, now) if moved else wanted
    if _LAST in state.withdrawals:
        raise InvalidInput(
            "it was withdrawn as of the last instant there is, so nothing can follow; purge the item, and the file is "
            "read as new",
            field="available_at",
        )
    return min(max(now, latest + 1), _LAST)


def removal_time(state: ItemState, now: int) -> int:
    """From when on a file that is gone is not shown: now, or the instant from which its last text would be shown."""
    return max(now, state.revisions[-1].available_at or now)
