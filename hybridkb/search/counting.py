"""How many records each filter keeps: which one is to blame when nothing passes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.database.conditions import with_conditions
from hybridkb.filters import CompiledFilter, Filters, compile_filters
from hybridkb.knowledge.times import from_microseconds
from hybridkb.resident import Resident
from hybridkb.search.candidates import combined, passing_each, passing_records


@dataclass(frozen=True, slots=True)
class FilterCount:
    """What one filter of several keeps.

    Attributes:
        name: the filter.
        value: what it asks for, as it was checked; times as datetimes (UTC).
        alone: visible records that pass this filter alone.
        without: visible records that pass all the others, were this one left out.
    """

    name: str
    value: Any
    alone: int
    without: int


@dataclass(frozen=True, slots=True)
class FilterCounts:
    """How many records a search looks at, and what its filters leave of them.

    Attributes:
        cutoff: T; None is now. Nothing that became observable later is counted anywhere here.
        records, items: visible at the cutoff, before any filter.
        passing: visible records that pass every filter.
        filters: each filter that was set, the cutoff left out.
    """

    cutoff: datetime | None
    records: int
    items: int
    passing: int
    filters: tuple[FilterCount, ...]


def count_filters(connection: Connection, resident: Resident, filters: Filters) -> FilterCounts:
    """Count inside the caller's read transaction, with the conditions that a search would use."""
    compiled = compile_filters(filters)
    visible = resident.visibility(filters.cutoff)
    masks = passing_each(connection, resident, compiled)
    seen = visible.mask
    if compiled.beyond_visible:
        standing = passing_records(connection, resident, replace(compiled, conditions=(compiled.standing,)))
        seen = seen if standing is None else seen | standing & masks["artifact_ids"]
    return FilterCounts(
        cutoff=None if filters.cutoff is None else from_microseconds(filters.cutoff),
        records=visible.records,
        items=_items(connection, compiled),
        passing=_count(seen, *masks.values()),
        filters=tuple(
            FilterCount(
                name=name,
                value=_shown(filters, name),
                alone=_count(seen, mask),
                without=_count(
                    visible.mask if name == "artifact_ids" else seen,
                    *(other for key, other in masks.items() if key != name),
                ),
            )
            for name, mask in masks.items()
        ),
    )


def _items(connection: Connection, compiled: CompiledFilter) -> int:
    sql = with_conditions(connection, "overview/count_items", (compiled.visibility,))
    return int(connection.text_rows(sql, compiled.bindings)[0][0])


def _count(*masks: NDArray[np.bool_]) -> int:
    mask = combined(masks)
    return 0 if mask is None else int(np.count_nonzero(mask))


def _shown(filters: Filters, name: str) -> Any:
    value = getattr(filters, name)
    return from_microseconds(value) if isinstance(value, int) else value
