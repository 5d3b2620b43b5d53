"""Proposes answers for a person to judge: what any mode finds, pooled, so that no mode is favoured by its own finds.

A gold set that was judged from one mode's hits cannot show that another is better (Voorhees, "Variations in relevance
judgments and the measurement of retrieval effectiveness", 2000, on pooling). Nothing is judged here: every candidate
has ``"judgement": null``, and a file that still holds one is refused as a gold set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hybridkb.errors import EmbedderUnavailable, InvalidInput
from hybridkb.evaluation.gold_entries import read_record
from hybridkb.evaluation.gold_set import GoldRecord
from hybridkb.evaluation.plan import MODES
from hybridkb.library import HybridLibrary
from hybridkb.records import hash_text
from hybridkb.search import SearchHit, SearchQuery
from hybridkb.search.request import Mode

PER_MODE = 10
_SNIPPET = 300


def propose(
    library: HybridLibrary,
    queries: Iterable[str | Mapping[str, Any]],
    *,
    modes: tuple[Mode, ...] = MODES,
    per_mode: int = PER_MODE,
    by_document: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Search every query in every mode and list what was found, for a person to judge.

    Args:
        library: what to search. Without a model, words alone are searched.
        queries: texts, or records of a gold set; what one judges already is not proposed again.
        modes: which rankings to pool.
        per_mode: how many hits of each.
        by_document: propose whole documents instead of passages.
        progress: called with (queries done, None).

    Yields:
        Records of a gold set with ``candidates``: set each ``judgement`` to 0 (wrong), 1 (right) or more (better).

    Raises:
        InvalidInput: a query is wrong; the text says which, counted from 1.
    """
    for number, given in enumerate(queries, start=1):
        fields = {"query": given} if isinstance(given, str) else dict(given)
        try:
            record = read_record({"relevant": [], **fields}, zone=library.settings.zone, line=number)
        except InvalidInput as error:
            raise InvalidInput(f"query {number}: {error}", field=error.field) from error
        yield {**fields, "candidates": _candidates(library, record, modes, per_mode, by_document)}
        if progress is not None:
            progress(number, None)


def _candidates(
    library: HybridLibrary, record: GoldRecord, modes: tuple[Mode, ...], per_mode: int, by_document: bool
) -> list[dict[str, Any]]:
    """Candidates by their best rank in any mode, then by address."""
    judged = {one.name for one in record.judgements}
    pool: dict[str, tuple[SearchHit, dict[str, int]]] = {}
    for mode in modes:
        for rank, hit in enumerate(_hits(library, record, mode, per_mode, by_document), start=1):
            address = str(hit.locator).partition("#")[0] if by_document else str(hit.locator)
            if address not in judged:
                pool.setdefault(address, (hit, {}))[1][mode] = rank
    ordered = sorted(pool.items(), key=lambda entry: (min(entry[1][1].values()), entry[0]))
    return [_candidate(address, hit, found, by_document) for address, (hit, found) in ordered]


def _hits(
    library: HybridLibrary, record: GoldRecord, mode: Mode, per_mode: int, by_document: bool
) -> Iterable[SearchHit]:
    collapse: dict[str, Any] = {"collapse": "item"} if by_document else {}
    query = SearchQuery(record.query, mode=mode, top_k=per_mode, filters=record.filters, **collapse)
    try:
        return library.search(query)
    except EmbedderUnavailable:
        return ()


def _candidate(address: str, hit: SearchHit, found: Mapping[str, int], by_document: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "locator": address,
        "judgement": None,
        "title": hit.title,
        "snippet": " ".join(hit.snippet.split())[:_SNIPPET],
        "found": dict(found),
    }
    return fields if by_document else {**fields, "text_hash": hash_text(hit.matched_text).hex()}
