"""``search_knowledge``: a question in; out comes a small answer that can be cited, weighed and acted on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, get_args
from uuid import UUID

from hybridkb.errors import HybridKBError
from hybridkb.search import SearchHit, SearchQuery, SearchResults
from hybridkb.search.request import Collapse, Mode
from hybridkb.tools.advice import fit_advice, nothing_found
from hybridkb.tools.budget import LEAST_CHARACTERS, MOST_CHARACTERS, Quote, QuoteFitter
from hybridkb.tools.cards import NOTICE, file_name, hit_card, time_text
from hybridkb.tools.desk import Desk, Target, View, desk_of
from hybridkb.tools.filter_parameters import BEFORE, FILTER_PARAMETERS
from hybridkb.tools.parameters import Parameter, unknown_name
from hybridkb.tools.safe_text import clean, clip, fence_name, one_line

MOST_HITS = 50
MOST_TITLES = 1_000
LIMIT, MAX_CHARS = 5, 6000

QUERY = Parameter("query", "text", "What to look for, as a question or as words. \"phrases\", -without, prefix* and OR "
                  "work as on the web.", required=True)  # fmt: skip
MAX_CHARS_PARAMETER = Parameter("max_chars", "integer", "Characters the whole answer may take.", least=LEAST_CHARACTERS,
                                most=MOST_CHARACTERS, default=MAX_CHARS)  # fmt: skip
OWN_PARAMETERS: tuple[Parameter, ...] = (
    QUERY,
    Parameter("limit", "integer", "How many hits.", least=1, most=MOST_HITS, default=LIMIT),
    Parameter("mode", "text", "hybrid: words and meaning; lexical: words, passages with all of them first; semantic: "
              "meaning.", get_args(Mode), default="hybrid"),
    MAX_CHARS_PARAMETER,
    Parameter("collapse", "text", "At most one hit for each item or document.", get_args(Collapse)),
    Parameter("min_score", "number", "Only hits at least this relevant.", least=0, most=1),
)  # fmt: skip
PARAMETERS: tuple[Parameter, ...] = (*OWN_PARAMETERS, *FILTER_PARAMETERS)
_KNOWN: Mapping[str, Parameter] = {parameter.name: parameter for parameter in PARAMETERS}


def search_knowledge(
    target: Target,
    query: str,
    *,
    limit: int = LIMIT,
    mode: Mode = "hybrid",
    max_chars: int = MAX_CHARS,
    collapse: Collapse | None = None,
    min_score: float | None = None,
    **filters: Any,
) -> dict[str, Any]:
    """Search, and answer with plain data: compact, citable, marked as untrusted, bounded in size.

    Args:
        target: a HybridLibrary, a Snapshot (nothing later shows), a KnowledgeBase (refreshed first), or the path of a
            library, which is opened for this call.
        query: what to look for; any text is valid.
        limit: how many hits, 1 to 50.
        mode: ``"hybrid"``, ``"lexical"`` (passages that hold every word first; others only when there are none) or
            ``"semantic"``.
        max_chars: characters that ``json.dumps(answer)`` may take, 500 to 200,000.
        collapse: ``"item"`` or ``"document"`` for at most one hit each.
        min_score: least relevance, 0 to 1.
        **filters: every filter of :class:`hybridkb.filters.Filters`.

    Returns:
        ``notice``, ``query``, ``mode`` (what ran), ``degraded``, ``cutoff``, ``count``, ``truncated`` (what was cut
        to fit, and how to get it), ``hits``; and ``nothing_found`` when there is none. Each hit has ``n``, ``title``,
        ``item_type``, ``as_of``, ``available_at``, ``source``, ``locator``, ``relevance``, ``snippet``, and where
        there is one ``path``, ``heading``, ``page`` (of a summary of a paper ``cited_pages``) and the whole ``text``.

    Raises:
        InvalidQuery, InvalidFilter: an argument is wrong; the text names the right one.
        InvalidInput: the target cannot be asked.
        EmbedderUnavailable: ``mode="semantic"`` and the query cannot be embedded.
        DatabaseError: the library cannot be read.
    """
    given = {"limit": limit, "mode": mode, "max_chars": max_chars, "collapse": collapse, "min_score": min_score}
    request = {"query": query, **{name: value for name, value in given.items() if value is not None}, **filters}
    for name in filters:
        if name not in _KNOWN:
            raise unknown_name("search_knowledge", name, _KNOWN)
    checked = {one.name: one.read(request[one.name], "UTC") for one in OWN_PARAMETERS if one.name in request}
    with desk_of(target) as desk:
        return answer_search(desk, {**filters, **checked})


def answer_search(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a search whose own arguments were checked; filters are checked by the library."""
    own = {parameter.name for parameter in OWN_PARAMETERS}
    filters = {name: value for name, value in arguments.items() if name not in own and value is not None}
    request = _query(arguments, filters)
    cutoff = request.filters.available_at_before
    desk.within(None if cutoff is None else request.available_at_before)
    note = desk.refresh()
    view = desk.view()
    results = view.search(request)
    max_chars = arguments.get("max_chars", MAX_CHARS)
    head = _head(results, note, max_chars)
    if results:
        titles = _titles(desk, results)
        return QuoteFitter(*_quoted(results, titles, head), max_chars, _rest(results.cutoff)).answer()
    advice = nothing_found(
        view, results, filters, min_score=arguments.get("min_score"), cutoff_is_fixed=desk.fixed is not None
    )
    return fit_advice(head, advice, max_chars)


def _query(arguments: Mapping[str, Any], filters: dict[str, Any]) -> SearchQuery:
    mode = arguments.get("mode", "hybrid")
    return SearchQuery(
        arguments["query"],
        top_k=arguments.get("limit", LIMIT),
        mode=mode,
        match="all_first" if mode == "lexical" else "any",
        collapse=arguments.get("collapse"),
        min_score=arguments.get("min_score"),
        **filters,
    )


def _head(results: SearchResults, note: str | None, max_chars: int) -> dict[str, Any]:
    """What every answer says; it takes less than half of the room."""
    head: dict[str, Any] = {
        "notice": NOTICE,
        "query": clip(one_line(results.query), min(300, max_chars // 10)),
        "mode": results.mode,
        "degraded": None if results.degraded is None else clip(one_line(results.degraded), min(600, max_chars // 8)),
        "cutoff": time_text(results.cutoff),
    }
    if note is not None:
        head["stale"] = clip(one_line(note), min(600, max_chars // 8))
    return head


def _titles(desk: Desk, results: SearchResults) -> dict[UUID, str]:
    """The title of the whole for each hit on a part of it.

    Most wholes have a record with their title; a document, whose passages alone are searched, is read for it.
    """
    parts = {hit.item_id: hit for hit in results if hit.item_id is not None and hit.node_id is not None}
    papers = {hit.source_id for hit in results if hit.source_id is not None}
    if not parts and not papers:
        return {}
    view = desk.view(results.cutoff)
    found = {one.item_id: one.title for one in view.list_items(ids=[*parts, *papers]).items}
    titles = {item_id: found.get(item_id) or _title_read(desk, view, item_id, hit) for item_id, hit in parts.items()}
    return titles | {source_id: title for source_id in papers if (title := found.get(source_id))}


def _title_read(desk: Desk, view: View, item_id: UUID, hit: SearchHit) -> str:
    """The title of the revision that was hit: another one may have been recorded at the same instant, and be later."""
    key = (item_id, hit.available_at, hit.recorded_at)
    known = desk.titles.get(key)  # asked once: another thread may empty it at any time
    if known is not None:
        return known
    try:
        item = view.get(item_id)
    except HybridKBError:  # withdrawn in the meantime, or of a type that this process does not know
        return file_name(hit.path) or ""
    title: str = getattr(item, "title", "") or file_name(hit.path) or ""
    if item.available_at == hit.available_at:  # else it was revised in the meantime
        if len(desk.titles) >= MOST_TITLES:
            desk.titles.clear()
        desk.titles[key] = title
    return title


def _quoted(
    results: SearchResults, titles: Mapping[UUID, str], head: dict[str, Any]
) -> tuple[dict[str, Any], list[Quote], str]:
    """The head with the fence's name, the hits as quotes, and that name."""
    texts = [(clean(hit.snippet), clean(hit.matched_text).strip()) for hit in results]
    wholes = [titles.get(owner) if (owner := hit.item_id or hit.source_id) else None for hit in results]
    cards = [partial(hit_card, hit.rank, hit, whole) for hit, whole in zip(results, wholes, strict=True)]
    said = json.dumps([head, *(card() for card in cards)], ensure_ascii=False)
    fence = fence_name([said, *(text for pair in texts for text in pair)])
    quotes = [
        Quote(card=card, snippet=snippet, text=None if _shows_all(hit) else text)
        for hit, card, (snippet, text) in zip(results, cards, texts, strict=True)
    ]
    return {**head, "fence": fence}, quotes, fence


def _shows_all(hit: SearchHit) -> bool:
    """Whether the snippet is the whole passage, white space aside."""
    return not hit.snippet.startswith("…") and not hit.snippet.endswith("…")


def _rest(cutoff: datetime | None) -> str:
    """How to get what was cut; with the cutoff, so that the passage is the one that was found."""
    call = "get_knowledge(locator)" if cutoff is None else f"get_knowledge(locator, {BEFORE}={time_text(cutoff)!r})"
    return f"{call} gives the whole passage; or a larger max_chars, a smaller limit"
