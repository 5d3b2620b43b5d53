"""Puts the conditions of a filter into statements. The only SQL that is generated; every value stays bound.

A condition is a file in ``sql/<engine>/filters/`` over the record ``r``. Facets (tags, tickers,
periods, collections) are listed by statements of their own in ``filters/ids/``, which need no look at the record.
"""

from __future__ import annotations

from collections.abc import Iterable

from hybridkb.database.statements import statement

_FACET_FILTERS = ("tags", "any_tags", "exclude_tags", "tickers", "periods", "collections")
FACETS = frozenset(f"filters/{name}" for name in _FACET_FILTERS)


def with_conditions(name: str, conditions: Iterable[str]) -> str:
    """A statement that all of the conditions narrow."""
    texts = (f"(\n{statement(one).strip()}\n)" for one in conditions)
    return statement(name).replace("{conditions}", "\n  AND ".join(texts))


def facet_list(name: str) -> str:
    """The statement that lists the records of one of ``filters/ids``, comma-separated."""
    return statement("filters/listed").replace("{ids}", statement(f"filters/ids/{name}").strip())
