"""``list_sources``: what there is to search: documents, folders, types, tags and more, with counts and dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from hybridkb.errors import HybridKBError, InvalidQuery
from hybridkb.search.contents import ItemSummary, ValueCount
from hybridkb.tools.cards import (
    NOTICE,
    TYPE_CHARACTERS,
    file_name,
    name,
    source_card,
    time_text,
    times_card,
)
from hybridkb.tools.desk import Desk, Target, View, desk_of
from hybridkb.tools.filter_parameters import BEFORE, CUTOFF, FILTER_PARAMETERS
from hybridkb.tools.parameters import Parameter, read_arguments, read_cutoff
from hybridkb.tools.safe_text import one_line, serialised
from hybridkb.tools.searching import MAX_CHARS, MAX_CHARS_PARAMETER

MOST_ROWS = 500
LIMIT = 50
DOCUMENTS = "documents"
# What may be listed, and the filter whose values that is.
FILTER_OF: Mapping[str, str] = {
    "folders": "path_prefix", "collections": "collections", "types": "item_types", "tags": "tags", "tickers": "tickers",
    "periods": "periods", "sources": "sources", "source_kinds": "source_kinds", "kinds": "kinds",
    "verdicts": "verdicts", "confidence": "confidence",
}  # fmt: skip
NARROWING = ("path_prefix", "item_types", "tags", "tickers")

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("by", "text", "What to list: documents one by one, or the values that a filter may ask for.",
              (DOCUMENTS, *FILTER_OF), default=DOCUMENTS),
    Parameter("limit", "integer", "How many rows.", least=1, most=MOST_ROWS, default=LIMIT),
    Parameter("offset", "integer", "How many rows to pass over: next_offset of the answer before.", least=0, most=2**53,
              default=0),
    MAX_CHARS_PARAMETER,
    *(parameter for parameter in FILTER_PARAMETERS if parameter.name in NARROWING),
    CUTOFF,
)  # fmt: skip


def list_sources(
    target: Target,
    by: str = DOCUMENTS,
    *,
    limit: int = LIMIT,
    offset: int = 0,
    max_chars: int = MAX_CHARS,
    available_at_before: datetime | str | None = None,
    **filters: Any,
) -> dict[str, Any]:
    """List what there is to search, as plain data.

    Args:
        target: as for :func:`hybridkb.tools.search_knowledge`.
        by: ``"documents"``, ``"folders"``, ``"collections"``, ``"types"``, ``"tags"``, ``"tickers"``, ``"periods"``,
            ``"sources"``, ``"source_kinds"``, ``"kinds"``, ``"verdicts"`` or ``"confidence"``.
        limit, offset: which rows.
        max_chars: characters that ``json.dumps(answer)`` may take.
        available_at_before: only what was observable by then.
        **filters: ``path_prefix``, ``item_types``, ``tags`` or ``tickers``.

    Returns:
        ``by``, ``cutoff``, ``total``, ``offset``, ``count``, ``next_offset`` (None at the end) and ``rows``:
        documents by path, or values, the most frequent first.

    Raises:
        InvalidQuery, InvalidFilter: an argument is wrong; the text names the right one.
    """
    given = {"by": by, "limit": limit, "offset": offset, "max_chars": max_chars, **filters}
    checked = read_arguments("list_sources", PARAMETERS, given)
    checked[BEFORE] = read_cutoff(available_at_before)
    with desk_of(target) as desk:
        return answer_list(desk, checked)


def answer_list(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a call whose arguments were checked."""
    by, limit, offset = arguments.get("by", DOCUMENTS), arguments.get("limit", LIMIT), arguments.get("offset", 0)
    cutoff = desk.within(arguments.get(BEFORE))
    note = desk.refresh()
    filters = {key: arguments[key] for key in NARROWING if arguments.get(key) is not None}
    rows, total = _rows(desk.view(cutoff), by, limit, offset, filters)
    head = {"notice": NOTICE, "by": by, "cutoff": time_text(cutoff), "total": total, "offset": offset}
    if note is not None:
        head["stale"] = name(one_line(note), 200)
    return _fit(head, rows, offset, total, arguments.get("max_chars", MAX_CHARS))


def _rows(
    view: View, by: str, limit: int, offset: int, filters: dict[str, Any]
) -> tuple[list[Callable[[int], dict[str, Any]]], int]:
    """Rows that wait to be written, each given what a name may take; and how many there are in all."""
    if by == DOCUMENTS:
        items = view.list_items(limit=limit, offset=offset, **filters)
        return [_document(item, item.title or _title_read(view, item)) for item in items.items], items.total
    values = view.list_values(FILTER_OF[by], limit=limit, offset=offset, **filters)
    return [_value(value) for value in values.values], values.total


def _title_read(view: View, item: ItemSummary) -> str | None:
    """The title of what has no record of its own, as documents of a folder."""
    try:
        title = getattr(view.get(item.item_id), "title", None)
    except HybridKBError:  # withdrawn in the meantime, or of a type that this process does not know
        title = None
    return title or file_name(item.path)


def _document(item: ItemSummary, title: str | None) -> Callable[[int], dict[str, Any]]:
    def row(names: int) -> dict[str, Any]:
        card: dict[str, Any] = {} if title is None else {"title": name(title, names)}
        if item.path:
            card["path"] = name(item.path, names)
        card |= {"item_type": name(item.item_type, TYPE_CHARACTERS), **times_card(item.as_of, item.available_at)}
        if not item.path:
            card["source"] = source_card(item.source, None, names)
        if item.tags:
            card["tags"] = [name(tag, TYPE_CHARACTERS) for tag in item.tags[:10]]
        return card | {"passages": item.records, "locator": str(item.locator)}

    return row


def _value(value: ValueCount) -> Callable[[int], dict[str, Any]]:
    def row(names: int) -> dict[str, Any]:
        return {
            "value": name(value.value, names),
            "passages": value.records,
            "documents": value.items,
            "as_of": [time_text(value.first_as_of), time_text(value.last_as_of)],
            "available_at": [time_text(value.first_available_at), time_text(value.last_available_at)],
        }

    return row


def _fit(
    head: dict[str, Any], rows: Sequence[Callable[[int], dict[str, Any]]], offset: int, total: int, max_chars: int
) -> dict[str, Any]:
    """As many rows as fit; the next page begins behind them."""
    for names in (300, 80):
        written = [row(names) for row in rows]
        count = len(written)
        while count and serialised(_page(head, written[:count], offset, total)) > max_chars:
            count -= max(1, count // 8)
        if count or not rows:
            return _page(head, written[:count], offset, total)
    least = serialised(_page(head, written[:1], offset, total))
    raise InvalidQuery(f"max_chars={max_chars:,} is too small for a row; give at least {least:,}", field="max_chars")


def _page(head: dict[str, Any], rows: list[dict[str, Any]], offset: int, total: int) -> dict[str, Any]:
    end = offset + len(rows)
    return {**head, "count": len(rows), "next_offset": end if end < total else None, "rows": rows}
