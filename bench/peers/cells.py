"""Cells and tables of Markdown, and how a figure is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def short(value: float | None) -> str:
    """Three digits or so; nothing for nothing."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def number(value: float | None) -> str:
    """A whole number with separators."""
    return "" if value is None else f"{value:,.0f}"


def three(value: float) -> str:
    """Three decimals, as measures are written."""
    return f"{value:.3f}"


def percent(share: float | None) -> str:
    """A share of one."""
    return "" if share is None else f"{share:.0%}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
