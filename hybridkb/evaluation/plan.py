"""How to evaluate: the gold set and every argument, checked before anything is asked or built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from hybridkb.errors import InvalidInput
from hybridkb.evaluation.bootstrap import RESAMPLES, SEED
from hybridkb.evaluation.cannot_fail import refuse_unfailing, refuse_unfit
from hybridkb.evaluation.gate import PROTOCOL_VERSION, Kind
from hybridkb.evaluation.gold_reading import GoldArgument, load_gold_set
from hybridkb.evaluation.gold_set import GoldSet, set_filters
from hybridkb.evaluation.measures import require_ir_measures
from hybridkb.evaluation.targets import resolve_targets
from hybridkb.filters import Filters
from hybridkb.library import HybridLibrary
from hybridkb.search.request import Mode

MODES: tuple[Mode, ...] = ("lexical", "semantic", "hybrid")
DEPTH = 100
_MOST_K = 1000
_MOST_RUNS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Plan:
    """How to evaluate; see :func:`evaluate` for the meaning of each."""

    gold: GoldSet
    k: int = 10
    modes: tuple[Mode, ...] = MODES
    filters: Filters | None = None
    depth: int = DEPTH
    absent_share: float = 0.0
    tolerance: float = 0.0
    gate_mode: Mode | None = None
    against: int | None = None
    resamples: int = RESAMPLES
    seed: int = SEED
    note: str = ""

    @property
    def kind(self) -> Kind:
        """What must be equal for another evaluation to be compared with this one."""
        filters = set_filters(self.filters) if self.filters else {}
        protocol = {"version": PROTOCOL_VERSION, "depth": self.depth, "filters": filters}
        return Kind(self.gold.digest, self.k, protocol)


def plan_of(
    library: HybridLibrary,
    gold: GoldArgument,
    *,
    k: int = 10,
    modes: Sequence[Mode] = MODES,
    filters: Mapping[str, Any] | None = None,
    depth: int | None = None,
    absent_share: float = 0.0,
    tolerance: float = 0.0,
    gate_mode: Mode | None = None,
    against: int | None = None,
    note: str = "",
    collection: str = "",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Plan:
    """Read the gold set and check every argument of :func:`evaluate`.

    Raises:
        InvalidGoldSet, UnreadableDocument, InvalidInput: one is wrong.
    """
    k = _number(k, "k", _MOST_K)
    return Plan(
        gold=load_gold_set(gold, zone=library.settings.zone, collection=collection),
        k=k,
        modes=_modes(modes),
        filters=_filters(filters),
        depth=max(k, DEPTH if depth is None else _number(depth, "depth", _MOST_K)),
        absent_share=_share(absent_share, "absent_share"),
        tolerance=_share(tolerance, "tolerance"),
        gate_mode=None if gate_mode is None else _modes([gate_mode])[0],
        against=None if against is None else _number(against, "against", _MOST_RUNS),
        resamples=_number(resamples, "resamples", 1_000_000),
        seed=_number(seed, "seed", _MOST_RUNS, least=0),
        note=note,
    )


def refuse_early(plan: Plan, library: HybridLibrary) -> None:
    """Refuse a gold set that would prove nothing, before anything is built.

    Raises:
        InvalidGoldSet: with every reason.
        MissingExtra: ir-measures is not installed.
    """
    require_ir_measures()
    refuse_unfit(plan.gold)
    resolved = resolve_targets(library, plan.gold, k=plan.k, filters=plan.filters)
    refuse_unfailing(plan.gold, resolved, k=plan.k, absent_share=plan.absent_share)


def _number(value: int, name: str, most: int, *, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{name} is a whole number from {least} to {most:,}, not {value!r}", field=name)
    return value


def _share(value: float, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{name} is a number from 0 to 1, not {value!r}", field=name)
    return float(value)


def _filters(given: Mapping[str, Any] | None) -> Filters | None:
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInput(f"filters are a mapping, such as {{'tags': ['metals']}}, not {given!r}", field="filters")
    return Filters.of(given) if given else None


def _modes(modes: Sequence[Mode]) -> tuple[Mode, ...]:
    if isinstance(modes, str) or not modes or not set(modes) <= set(get_args(Mode)):
        raise InvalidInput(f"modes are one or more of {', '.join(get_args(Mode))}, not {modes!r}", field="modes")
    return tuple(mode for mode in MODES if mode in modes)
