"""From a filter to SQL: each set field names one condition in ``sql/``, its value is bound."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hybridkb.filters.filters import Filters
from hybridkb.knowledge.provenance import at_least_as_trusted


@dataclass(frozen=True, slots=True)
class CompiledFilter:
    """Names of conditions in ``sql/<engine>/filters/`` and the values they bind.

    Attributes:
        conditions: what narrows the candidates; all must hold.
        visibility: the condition that says what is visible at the cutoff, or now.
        standing: the condition on what may be a hit; another than ``visibility`` where artifacts are named, which are
            then found whether they are current or not.
        bindings: values by name.
    """

    conditions: tuple[str, ...]
    visibility: str
    standing: str
    bindings: dict[str, Any]

    @property
    def beyond_visible(self) -> bool:
        """Whether something may be a hit that searches do not see unless they name it."""
        return self.standing != self.visibility


def compile_filters(filters: Filters) -> CompiledFilter:
    """Choose the conditions and bind the values; lists travel as one JSON value."""
    narrowing = filters.narrowing
    bindings = {name: _bound(name, value) for name, value in narrowing.items()}
    if "path_prefix" in narrowing:
        bindings["path_below"] = narrowing["path_prefix"] + "/"
        bindings["path_end"] = narrowing["path_prefix"] + "0"  # "0" follows "/" in ASCII
    when = "now" if filters.cutoff is None else "at"
    if filters.cutoff is not None:
        bindings["cutoff"] = filters.cutoff
    visibility = f"filters/visible_{when}"
    standing = f"filters/standing_{when}" if filters.artifact_ids else visibility
    return CompiledFilter(tuple(f"filters/{name}" for name in narrowing), visibility, standing, bindings)


def _bound(name: str, value: Any) -> Any:
    if name == "min_trust":
        return json.dumps(at_least_as_trusted(value))
    if name in ("tickers", "periods"):
        return json.dumps([text.casefold() for text in value])
    return json.dumps(value) if isinstance(value, tuple) else value
