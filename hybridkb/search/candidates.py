"""Which records may be hits: every condition of the filter, answered by SQL before anything is ranked.

Facets and record columns are asked separately, each through its best index, and meet as
masks. A mask depends on the condition and the state of the library alone, so the resident
state remembers the last ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, read_ids
from hybridkb.database.conditions import FACETS, facet_list, with_conditions
from hybridkb.filters import CompiledFilter
from hybridkb.resident import Resident


def passing_records(connection: Connection, resident: Resident, compiled: CompiledFilter) -> NDArray[np.bool_] | None:
    """By record id, whether the record passes the filter, visible or not; None when the filter is empty."""
    columns = tuple(name for name in compiled.conditions if name not in FACETS)
    facets = (name for name in compiled.conditions if name in FACETS)
    masks = [mask for name in facets for mask in _facet(connection, resident, compiled, name)]
    if columns:
        masks.append(_columns(connection, resident, compiled, columns))
    return combined(masks)


def passing_each(
    connection: Connection, resident: Resident, compiled: CompiledFilter
) -> dict[str, NDArray[np.bool_]]:
    """By the name of each set filter, and by record id, whether the record passes that filter alone."""
    return {name.removeprefix("filters/"): _condition(connection, resident, compiled, name) for name in
            compiled.conditions}  # fmt: skip


def combined(masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_] | None:
    """What all of the masks hold; None when there is none."""
    result: NDArray[np.bool_] | None = None
    for mask in masks:
        result = mask if result is None else result & mask
    return result


def _condition(
    connection: Connection, resident: Resident, compiled: CompiledFilter, condition: str
) -> NDArray[np.bool_]:
    if condition not in FACETS:
        return _columns(connection, resident, compiled, (condition,))
    mask = combined(_facet(connection, resident, compiled, condition))
    assert mask is not None  # a list filter holds at least one value
    return mask


def _columns(
    connection: Connection, resident: Resident, compiled: CompiledFilter, conditions: tuple[str, ...]
) -> NDArray[np.bool_]:
    return _mask(connection, resident, with_conditions(connection, "filters/candidates", conditions), compiled.bindings)


def _facet(
    connection: Connection, resident: Resident, compiled: CompiledFilter, condition: str
) -> list[NDArray[np.bool_]]:
    """Masks that must all hold: one for each tag of ``tags``, one for any other facet."""
    name = condition.removeprefix("filters/")
    if name == "tags":
        sql = facet_list(connection, "tag")
        return [_mask(connection, resident, sql, {"tag": tag}) for tag in json.loads(compiled.bindings["tags"])]
    mask = _mask(connection, resident, facet_list(connection, name), compiled.bindings)
    return [~mask if name == "exclude_tags" else mask]


def _mask(
    connection: Connection, resident: Resident, sql: str, bindings: dict[str, Any]
) -> NDArray[np.bool_]:
    used = {name: value for name, value in bindings.items() if f":{name}" in sql}
    key = (sql, tuple(sorted(used.items())))

    def answer() -> NDArray[np.bool_]:
        ids = read_ids(connection.text_rows(sql, used)[0][0])
        mask = np.zeros(resident.columns.size, bool)
        mask[ids] = True
        return mask

    return resident.remembered_mask(key, answer)
