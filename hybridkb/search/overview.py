"""Answers what there is to search, on one database: counts, values, items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from hybridkb.database import Database
from hybridkb.filters import Filters, compile_filters
from hybridkb.knowledge.identity import id_text
from hybridkb.resident import Follower
from hybridkb.search.contents import ItemPage, ValuePage, list_items, list_values, named_items
from hybridkb.search.counting import FilterCounts, count_filters


class Overview:
    """Counts and lists under the filters of a search. Thread-safe."""

    def __init__(self, database: Database, follower: Follower, *, within: int | None = None) -> None:
        """Keep what every answer reads; ``within`` is the cutoff (microseconds) that nothing may look past."""
        self._database = database
        self._follower = follower
        self._within = within

    def count(self, named: dict[str, Any]) -> FilterCounts:
        """Count what the filters leave.

        Raises:
            InvalidFilter: a filter is wrong, or asks for something later than the cutoff.
        """
        filters = self._filters(named)
        return self._follower.reading(
            self._database, lambda connection, resident: count_filters(connection, resident, filters)
        )

    def list_values(self, name: str, limit: int, offset: int, named: dict[str, Any]) -> ValuePage:
        """List the values of a filter.

        Raises:
            InvalidInput: that filter's values cannot be listed, or a bound is wrong.
            InvalidFilter: as :meth:`count`.
        """
        compiled = compile_filters(self._filters(named))
        return self._database.reading(lambda connection: list_values(connection, compiled, name, limit, offset))

    def list_items(
        self, limit: int, offset: int, ids: Iterable[UUID | str] | None, named: dict[str, Any]
    ) -> ItemPage:
        """List items, or those named by ``ids``.

        Raises:
            InvalidInput: a bound or an id is wrong.
            InvalidFilter: as :meth:`count`.
        """
        compiled = compile_filters(self._filters(named))
        if ids is not None:
            named_ids = [id_text(one) for one in ids]
            return self._database.reading(lambda connection: named_items(connection, compiled, named_ids))
        return self._database.reading(lambda connection: list_items(connection, compiled, limit, offset))

    def _filters(self, named: dict[str, Any]) -> Filters:
        filters = Filters.of(named)
        return filters if self._within is None else filters.within(self._within)
