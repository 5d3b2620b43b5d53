"""BM25 over one field, written the way a textbook has it.

Documents are lists of terms. Nothing here knows fields, groups, stems, bonuses or
time; it judges that part of the scorer which everybody agrees on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

Formula = Literal["lucene", "fts5"]


def inverse_document_frequency(documents: int, with_term: int, formula: Formula) -> float:
    """How much a term tells, given how many of the documents hold it."""
    odds = (documents - with_term + 0.5) / (with_term + 0.5)
    if formula == "lucene":
        return math.log(1.0 + odds)
    idf = math.log(odds)
    return idf if idf > 0.0 else 1e-6


def bm25_scores(
    documents: Mapping[str, Sequence[str]],
    query: Sequence[str],
    *,
    k1: float = 1.2,
    b: float = 0.75,
    formula: Formula = "lucene",
) -> dict[str, float]:
    """Score every document that holds a term of the query; a repeated query term counts once."""
    average = sum(len(terms) for terms in documents.values()) / len(documents) if documents else 0.0
    scores: dict[str, float] = {}
    for term in dict.fromkeys(query):
        with_term = sum(1 for terms in documents.values() if term in terms)
        idf = inverse_document_frequency(len(documents), with_term, formula)
        for name, terms in documents.items():
            frequency = terms.count(term) if isinstance(terms, list) else list(terms).count(term)
            if frequency:
                norm = k1 * (1.0 - b + b * len(terms) / average)
                scores[name] = scores.get(name, 0.0) + idf * frequency * (k1 + 1.0) / (frequency + norm)
    return scores


def best_first(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Order by score, best first, ties by the UTF-8 bytes of the name."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0].encode()))
