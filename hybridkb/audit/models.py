"""When models became public. A model knows its training texts, so at an earlier cutoff its work looks ahead."""

from __future__ import annotations

import re
from datetime import date

RELEASED: dict[str, date] = {
    "all-MiniLM-L6-v2": date(2021, 8, 31),  # the day is not kept anywhere; the end of the month is the safe side
    "all-MiniLM-L6-v2-int8": date(2021, 8, 31),  # the bundled one: the same weights in eight bits
    "text-embedding-ada-002": date(2022, 12, 15),
    "text-embedding-3-small": date(2024, 1, 25),
    "text-embedding-3-large": date(2024, 1, 25),
    "gpt-3.5-turbo": date(2023, 3, 1),
    "gpt-4": date(2023, 3, 14),
    "gpt-4-turbo": date(2023, 11, 6),
    "gpt-4o": date(2024, 5, 13),
    "gpt-4o-mini": date(2024, 7, 18),
    "gpt-4.1": date(2025, 4, 14),
    "gpt-4.1-mini": date(2025, 4, 14),
    "gpt-4.1-nano": date(2025, 4, 14),
}
"""Model name to the day of its release. A name that ends in a date (``gpt-4o-2024-08-06``) says it itself."""

_DATED = re.compile(r"-(20\d\d)-?([01]\d)-?([0-3]\d)$")


def released(model: str) -> date | None:
    """The day on which a model became public; None when it is not known.

    A maker's prefix (``openai/``, ``sentence-transformers/``, ``openai:``) does not matter.
    """
    name = re.split(r"[/:]", model)[-1]
    if name in RELEASED:
        return RELEASED[name]
    dated = _DATED.search(name)
    if dated is None:
        return None
    try:
        return date(*(int(part) for part in dated.groups()))
    except ValueError:
        return None
