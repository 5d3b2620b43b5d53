"""Proposes answers for a person to judge: what any mode finds, pooled, so that no mode is favoured by its own finds.

A gold set that was judged from one mode's hits cannot show that another is better (Voorhees, "Variations in relevance
judgments and the measurement of retrieval effectiveness", 2000, on pooling). Nothing is judged here: every candidate
has ``"judgement": null``, and a file that still holds one is refused as a gold set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hybridkb.errors import EmbedderUnavailable, InvalidInput
from hybridkb.evaluation.gold_entries import candidates_of, read_record
from hybridkb.evaluation.gold_set import GoldRecord, GoldSet
from hybridkb.evaluation.plan import MODES
from hybridkb.evaluation.targets import resolve_targets
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
        queries: texts, or records of a gold set; what one judges already stays, and is not proposed again.
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
        proposed = _candidates(library, record, modes, per_mode, by_document)
        yield {**fields, "candidates": [*candidates_of(fields), *proposed]}
        if progress is not None:
            progress(number, None)


def _candidates(
    library: HybridLibrary, record: GoldRecord, modes: tuple[Mode, ...], per_mode: int, by_document: bool
) -> list[dict[str, Any]]:
    """Candidates by their best rank in any mode, then by address."""
    judged = _judged(library, record)
    owners = {address.partition("#")[0] for address in judged} if by_document else judged
    pool: dict[str, tuple[SearchHit, dict[str, int]]] = {}
    for mode in modes:
        for rank, hit in enumerate(_hits(library, record, mode, per_mode, by_document), start=1):
            address = str(hit.locator).partition("#")[0] if by_document else str(hit.locator)
            if address not in judged and address.partition("#")[0] not in owners:
                pool.setdefault(address, (hit, {}))[1][mode] = rank
    ordered = sorted(pool.items(), key=lambda entry: (min(entry[1][1].values()), entry[0]))
    return [_candidate(address, hit, found, by_document) for address, (hit, found) in ordered]


def _judged(library: HybridLibrary, record: GoldRecord) -> set[str]:
    """Addresses that are judged already; those of documents that are named by their path as well."""
    (resolved,) = resolve_targets(library, GoldSet((record,)), k=1)
    found = {one.name for one in record.judgements}
    return found.union(*(target.owners | target.locators for target in resolved.targets))


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
