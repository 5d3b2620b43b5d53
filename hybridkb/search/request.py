"""What is asked: text, filters and how to answer, checked before anything is read."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

from hybridkb.errors import InvalidQuery
from hybridkb.filters import Filters
from hybridkb.fusion import Fusion
from hybridkb.knowledge.times import from_microseconds

MAX_TOP_K = 100_000
Mode = Literal["hybrid", "lexical", "semantic"]
Collapse = Literal["item", "document"]
Match = Literal["any", "all", "all_first"]
FusionArgument = Fusion | Literal["rrf", "convex"] | None


@dataclass(frozen=True, slots=True, init=False)
class SearchQuery:
    """A whole search as one value. Immutable; every argument is checked when it is made.

    Attributes:
        text: any text; nothing in it is ever a syntax error.
        top_k: how many hits, 1 to 100,000.
        mode: ``"hybrid"``, ``"lexical"`` or ``"semantic"``.
        fusion: method and weights; None takes the library's own.
        collapse: ``"item"`` or ``"document"`` for at most one hit each; None for all passages.
        min_score: least ``SearchHit.relevance``, 0 to 1.
        match: ``"any"`` word of the query makes a candidate, and meaning alone does too; ``"all"`` keeps candidates
            that hold every word, in both legs; ``"all_first"`` does so when there are any, else as ``"any"``.
        exact: compare with every candidate's vector, whatever their number.
        approximate: let an HNSW index on PostgreSQL find the nearest vectors. Never with a cutoff.
        filters: see :class:`hybridkb.filters.Filters`; given as keyword arguments of the same names.
    """

    text: str
    top_k: int
    mode: Mode
    fusion: Fusion | None
    collapse: Collapse | None
    min_score: float | None
    match: Match
    exact: bool
    approximate: bool
    filters: Filters

    def __init__(
        self,
        text: str,
        *,
        top_k: int = 10,
        mode: Mode = "hybrid",
        fusion: FusionArgument = None,
        collapse: Collapse | None = None,
        min_score: float | None = None,
        match: Match = "any",
        exact: bool = False,
        approximate: bool = False,
        filters: Filters | None = None,
        **named_filters: Any,
    ) -> None:
        """Check and keep the arguments.

        Args:
            text, top_k, mode, fusion, collapse, min_score, match, exact, approximate: see the attributes.
            filters: a checked filter, as another query has it; or each filter by its own name.
            **named_filters: every filter of :class:`hybridkb.filters.Filters`.

        Raises:
            InvalidQuery: an argument is of the wrong kind or out of range.
            InvalidFilter: a filter is unknown, of the wrong kind, or contradicts itself.
        """
        if filters is not None and (named_filters or not isinstance(filters, Filters)):
            raise InvalidQuery("give filters by name, or one Filters; not both", field="filters")
        values = {
            "text": _text(text),
            "top_k": _top_k(top_k),
            "mode": _one_of("mode", mode, ("hybrid", "lexical", "semantic")),
            "fusion": _fusion(fusion),
            "collapse": _one_of("collapse", collapse, (None, "item", "document")),
            "min_score": _min_score(min_score),
            "match": _one_of("match", match, ("any", "all", "all_first")),
            "exact": bool(exact),
            "approximate": bool(approximate),
            "filters": filters or Filters.of(named_filters),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._require_one_way()

    def _require_one_way(self) -> None:
        """Refuse to be approximate where that contradicts what else is asked."""
        if not self.approximate:
            return
        if self.exact:
            raise InvalidQuery("give exact or approximate, not both", field="approximate")
        if self.mode == "lexical":
            raise InvalidQuery("approximate is about vectors, and lexical asks none; leave it out", field="approximate")
        if self.filters.cutoff is not None:
            raise InvalidQuery(
                "approximate=True is refused with a cutoff: an HNSW index holds what became known later, and that "
                "would decide what it finds; leave one of them out",
                field="approximate",
            )

    def within(self, cutoff: int) -> SearchQuery:
        """The same search for someone who stands at ``cutoff`` (microseconds since 1970 UTC).

        Raises:
            InvalidFilter: it asks for something later than the cutoff.
            InvalidQuery: it is approximate.
        """
        bounded = copy(self)
        object.__setattr__(bounded, "filters", self.filters.within(cutoff))
        bounded._require_one_way()
        return bounded

    def __getattr__(self, name: str) -> Any:
        """Filters by their own names; times as datetimes in UTC."""
        if name not in Filters.__slots__:
            raise AttributeError(name)
        value = getattr(self.filters, name)
        return from_microseconds(value) if isinstance(value, int) else value


def read_query(text: str | SearchQuery, arguments: dict[str, Any]) -> SearchQuery:
    """Make a query of what a caller gave to ``search``.

    Args:
        text: the text, or a whole search.
        arguments: the other arguments; those at their default count as not given.

    Raises:
        InvalidQuery: a whole SearchQuery and further arguments, or an argument is wrong.
        InvalidFilter: a filter is wrong.
    """
    if not isinstance(text, SearchQuery):
        return SearchQuery(text, **arguments)
    given = [name for name, value in arguments.items() if value != _DEFAULTS.get(name)]
    if given:
        raise InvalidQuery(f"a SearchQuery is a whole search; put {', '.join(given)} into it", field=given[0])
    return text


_DEFAULTS = {"top_k": 10, "mode": "hybrid", "match": "any", "exact": False, "approximate": False}


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise InvalidQuery(f"a search takes text, not {type(text).__name__}", field="text")
    return text


def _top_k(top_k: Any) -> int:
    if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= MAX_TOP_K:
        raise InvalidQuery(f"top_k is a whole number from 1 to {MAX_TOP_K:,}, not {top_k!r}", field="top_k")
    return top_k


def _one_of(name: str, value: Any, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise InvalidQuery(f"{name} is one of {', '.join(map(repr, known))}, not {value!r}", field=name)
    return value


def _fusion(value: Any) -> Fusion | None:
    if value is None or isinstance(value, Fusion):
        return value
    return Fusion(method=_one_of("fusion", value, ("rrf", "convex")))


def _min_score(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidQuery(
            f"min_score is a number from 0 to 1 (it acts on relevance), not {value!r}", field="min_score"
        )
    return float(value)
