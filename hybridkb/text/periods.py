"""Reporting periods as a desk writes them: ``FY2022``, ``FY22``, ``2Q23``, ``1H2024``."""

from __future__ import annotations

import re

_SHORT = re.compile(r"(?:fy|cy|[1-4]q|[12]h)(\d\d)\Z")
_LONG = re.compile(r"(?:fy|cy|[1-4]q|q[1-4]|[12]h|h[12])((?:19|20)\d\d)\Z")
_OLDEST = 50  # FY50 is 1950, FY49 is 2049


def year_of_period(word: str) -> str | None:
    """The year in a period (an analysed word), or None: who asks for ``FY2022`` wants what says "fiscal 2022" too."""
    if long := _LONG.match(word):
        return long[1]
    if short := _SHORT.match(word):
        return f"{19 if int(short[1]) >= _OLDEST else 20}{short[1]}"
    return None
