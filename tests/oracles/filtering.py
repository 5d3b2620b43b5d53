"""Which records pass the filters of SPEC.md, judged one record at a time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from hybridkb.knowledge import KnowledgeItem, at_least_as_trusted
from hybridkb.knowledge.times import to_microseconds
from hybridkb.records import Record


def passes(record: Record, item: KnowledgeItem, filters: dict[str, Any]) -> bool:
    """Whether a record, projected from the item as it stands, satisfies every filter.

    ``available_at_before`` is the cutoff and was applied already.
    """
    return all(_passes_one(record, item, name, wanted) for name, wanted in filters.items() if wanted is not None)


def _passes_one(record: Record, item: KnowledgeItem, name: str, wanted: Any) -> bool:
    match name:
        case "available_at_before":
            return True
        case "available_at_after":
            return item.available_at is not None and _instant(item.available_at) >= _instant(wanted)
        case "as_of_after":
            return _instant(item.as_of) >= _instant(wanted)
        case "as_of_before":
            return _instant(item.as_of) <= _instant(wanted)
        case "doc_date_after":
            return record.doc_date is not None and record.doc_date >= _day(wanted)
        case "doc_date_before":
            return record.doc_date is not None and record.doc_date <= _day(wanted)
        case "tags":
            return all(tag in record.tags for tag in several(wanted))
        case "any_tags":
            return any(tag in record.tags for tag in several(wanted))
        case "exclude_tags":
            return not any(tag in record.tags for tag in several(wanted))
        case "tickers":
            return _any_case(record.tickers, wanted)
        case "periods":
            return _any_case(record.periods, wanted)
        case "collections":
            return any(collection in record.collections for collection in several(wanted))
        case "tree_id":
            return record.tree_id is not None and record.tree_id in {str(tree) for tree in several(wanted)}
        case "path_prefix":
            return _is_below(record.path, wanted)
        case "min_trust":
            return record.source_class in at_least_as_trusted(wanted)
        case "artifact_ids":
            return record.locator.owner_kind == "artifact" and str(record.locator.owner_id) in map(str, several(wanted))
        case _:
            return getattr(record, COLUMNS[name]) in several(wanted)


COLUMNS = {
    "item_types": "item_type",
    "artifact_kinds": "artifact_kind",
    "source_kinds": "source_kind",
    "sources": "source_class",
    "kinds": "kind",
    "verdicts": "verdict",
    "confidence": "confidence",
}


def several(wanted: Any) -> list[Any]:
    """One value or several, as a list."""
    return list(wanted) if isinstance(wanted, Iterable) and not isinstance(wanted, str) else [wanted]


def _any_case(own: Iterable[str], wanted: Any) -> bool:
    return bool({value.casefold() for value in own} & {value.casefold() for value in several(wanted)})


def _instant(value: datetime) -> Fraction:
    return Fraction(to_microseconds(value))


def _day(value: str | date) -> str:
    return value.isoformat() if isinstance(value, date) else value


def _is_below(path: str | None, prefix: str) -> bool:
    """``a/b`` is below ``a`` and itself, ``ab`` is not below ``a``."""
    if path is None:
        return False
    own, asked = path.split("/"), prefix.rstrip("/").split("/")
    return own[: len(asked)] == asked
