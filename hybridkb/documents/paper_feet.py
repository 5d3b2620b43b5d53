"""Lines that stand where other pages have their running feet, such as the name of a conference on a first page."""

from __future__ import annotations

from statistics import median

from hybridkb.documents.paper_sheet import Sheet
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_tables import gap

_LEAST_FEET = 3
_REACH = 1.5


def take_lone_feet(sheets: list[Sheet]) -> None:
    """Make the lowest row of a page without running feet one, if it stands apart and as low as those of the others."""
    tops = [row.top for sheet in sheets for row in sheet.running.feet]
    if len(tops) < _LEAST_FEET:
        return
    usual = median(tops)
    for sheet in sheets:
        if sheet.running.feet or not sheet.page.rows:
            continue
        lowest = min(sheet.page.rows, key=lambda row: row.bottom)
        if lowest.bottom < usual + _REACH * lowest.height and _stands_apart(lowest, sheet.page.rows):
            sheet.running.feet.append(lowest)
            sheet.page.rows = [row for row in sheet.page.rows if row is not lowest]


def _stands_apart(row: Row, rows: list[Row]) -> bool:
    above = [other for other in rows if other is not row]
    return all(gap(other, row) > row.height for other in above)
