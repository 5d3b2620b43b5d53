"""What is measured, query by query: recall, precision, nDCG and success at k, and the reciprocal rank.

The figures are those of trec_eval, through ``ir-measures``: nDCG has linear gains, precision divides by k however few
hits there are, and what nobody judged is wrong. The reciprocal rank is that of the first right hit within the depth
that was searched, 0 beyond it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from hybridkb.errors import InvalidInput, MissingExtra

MEASURES = ("recall", "precision", "ndcg", "mrr", "success")

Judged = Mapping[str, Mapping[str, int]]
"""Grades by query and by document or chunk."""

Rankings = Mapping[str, Sequence[str]]
"""The best documents or chunks of each query, each once."""

Values = dict[str, dict[str, float]]
"""By query, the value of each measure."""


def measure(judged: Judged, rankings: Rankings, *, k: int) -> Values:
    """Measure rankings; a query without a ranking found nothing.

    Raises:
        InvalidInput: k is no whole number from 1, or a ranking names something twice.
        MissingExtra: ir-measures is not installed.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidInput(f"k is a whole number from 1, not {k!r}", field="k")
    library = require_ir_measures()
    wanted = {
        library.R @ k: "recall", library.P @ k: "precision", library.nDCG @ k: "ndcg", library.RR: "mrr",
        library.Success @ k: "success",
    }  # fmt: skip
    grades = {query: dict(answers) for query, answers in judged.items()}
    scores = {query: _scores(query, rankings.get(query, ())) for query in judged}
    values: Values = {query: dict.fromkeys(MEASURES, 0.0) for query in judged}
    for found in library.iter_calc(list(wanted), grades, scores):
        values[found.query_id][wanted[found.measure]] = float(found.value)
    return values


def ceiling(judged: Judged, k: int) -> float:
    """The best recall@k that any ranking could reach: queries with more answers than k cannot reach 1."""
    counts = [sum(grade > 0 for grade in answers.values()) for answers in judged.values()]
    shares = [min(k, count) / count for count in counts if count]
    return sum(shares) / len(shares) if shares else 0.0


def _scores(query: str, ranking: Sequence[str]) -> dict[str, float]:
    """Falling scores; whole numbers, so that no two of them are alike after rounding."""
    scores = {unit: float(len(ranking) - place) for place, unit in enumerate(ranking)}
    if len(scores) != len(ranking):
        raise InvalidInput(f"the ranking of {query!r} names something twice", field="rankings")
    return scores


def require_ir_measures() -> Any:
    """The package that measures.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return importlib.import_module("ir_measures")
    except ImportError as error:
        raise MissingExtra(
            'measuring needs ir-measures; install the extra "evaluation": pip install "hybridkb[evaluation]"',
            extra="evaluation",
        ) from error
