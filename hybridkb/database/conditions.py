"""Puts the conditions of a filter into statements. The only SQL that is generated; every value stays bound.

A condition is a file in ``sql/<engine>/filters/`` over the record ``r``. Facets (tags, tickers,
periods) also have a list of their own in ``filters/ids/``, which needs no look at the record.
"""

from __future__ import annotations

from collections.abc import Iterable

from hybridkb.database.statements import statement

FACETS = frozenset(f"filters/{name}" for name in ("tags", "any_tags", "exclude_tags", "tickers", "periods"))
EXCLUDING = frozenset({"filters/exclude_tags"})


def condition(name: str) -> str:
    """One condition over the record ``r``, such as ``filters/item_types``."""
    text = statement(name).strip()
    return text.replace("{ids}", f"\n{_ids(name)}\n") if name in FACETS else text


def with_conditions(name: str, conditions: Iterable[str]) -> str:
    """A statement that all of the conditions narrow."""
    texts = (f"(\n{condition(one)}\n)" for one in conditions)
    return statement(name).replace("{conditions}", "\n  AND ".join(texts))


def facet_list(name: str) -> str:
    """The statement that lists a facet's records; for an excluding facet, those left out."""
    return statement("filters/listed").replace("{ids}", _ids(name))


def _ids(name: str) -> str:
    return statement(name.replace("filters/", "filters/ids/", 1)).strip()
