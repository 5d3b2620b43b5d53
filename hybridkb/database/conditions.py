"""Puts the conditions of a filter into statements. The only SQL that is generated; every value stays bound.

A condition is a file in ``sql/*/filters/`` over the record ``r``. Facets (tags, tickers,
periods, collections) are listed by statements of their own in ``filters/ids/``, which need no look at the record.
"""

from __future__ import annotations

from collections.abc import Iterable

from hybridkb.database.connection import Connection

_FACET_FILTERS = ("tags", "any_tags", "exclude_tags", "tickers", "periods", "collections")
FACETS = frozenset(f"filters/{name}" for name in _FACET_FILTERS)


def with_conditions(connection: Connection, name: str, conditions: Iterable[str]) -> str:
    """A statement that all of the conditions narrow."""
    texts = (f"(\n{connection.statement(one).strip()}\n)" for one in conditions)
    return connection.statement(name).replace("{conditions}", "\n  AND ".join(texts))


def facet_list(connection: Connection, name: str) -> str:
    """The statement that lists the records of one of ``filters/ids``, comma-separated."""
    ids = connection.statement(f"filters/ids/{name}").strip()
    return connection.statement("filters/listed").replace("{ids}", ids)
