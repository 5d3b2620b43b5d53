"""Which records may be hits: every condition of the filter, answered by SQL before anything is ranked.

Facets and record columns are asked separately, each through its best index, and meet as
masks. A mask depends on the condition and the state of the library alone, so the resident
state remembers the last ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, read_ids
from hybridkb.database.conditions import EXCLUDING, FACETS, facet_list, with_conditions
from hybridkb.filters import CompiledFilter
from hybridkb.resident import Resident


def passing_records(connection: Connection, resident: Resident, compiled: CompiledFilter) -> NDArray[np.bool_] | None:
    """By record id, whether the record passes the filter, visible or not; None when the filter is empty."""
    facets = [name for name in compiled.conditions if name in FACETS]
    columns = tuple(name for name in compiled.conditions if name not in FACETS)
    masks = [_mask(connection, resident, facet_list(name), compiled.bindings, name in EXCLUDING) for name in facets]
    if columns:
        sql = with_conditions("filters/candidates", columns)
        masks.append(_mask(connection, resident, sql, compiled.bindings, excluding=False))
    if not masks:
        return None
    result = masks[0]
    for mask in masks[1:]:
        result = result & mask
    return result


def _mask(
    connection: Connection, resident: Resident, sql: str, bindings: dict[str, Any], excluding: bool
) -> NDArray[np.bool_]:
    used = {name: value for name, value in bindings.items() if f":{name}" in sql}
    key = (sql, tuple(sorted(used.items())))

    def answer() -> NDArray[np.bool_]:
        ids = read_ids(connection.text_rows(sql, used)[0][0])
        mask = np.full(resident.columns.size, excluding)
        mask[ids] = not excluding
        return mask

    return resident.remembered_mask(key, answer)
