"""How the readers say that a file cannot be read, and that an optional package is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hybridkb.errors import MissingExtra, UnreadableDocument


def unreadable(name: str, why: str, remedy: str, *, page: int | None = None) -> UnreadableDocument:
    """Make the error that names the file, says why it cannot be read, and how to mend it."""
    place = f", page {page}" if page else ""
    return UnreadableDocument(f"{name}{place} {why}; {remedy}", path=name, place=page)


def load_extra(module: str, purpose: str, *, extra: str = "folder") -> Any:
    """Import a package of an extra when it is first needed.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtra(
            f'{purpose} needs the package {package}, which is not installed: pip install "hybridkb[{extra}]"',
            extra=extra,
        ) from error


def count_of(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun: ``1 page``, ``1,200 pages``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ranges_of(numbers: list[int], most: int = 12) -> str:
    """Write ascending numbers as ranges: ``1, 3-5, 9``; what exceeds ``most`` ranges as ``and others``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:most]]
    return ", ".join(words) + (" and others" if len(ranges) > most else "")
