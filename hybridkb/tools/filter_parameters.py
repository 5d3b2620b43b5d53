"""Every filter of a search as an argument of a tool, described for a model."""

from __future__ import annotations

from typing import get_args

from hybridkb.knowledge import SOURCE_CLASSES
from hybridkb.knowledge.item import Confidence
from hybridkb.knowledge.source import SourceKind
from hybridkb.tools.parameters import Kind, Parameter

BEFORE = "available_at_before"
_TIME = "A day (YYYY-MM-DD, its first moment) or an instant with offset (2024-03-11T13:30:00Z)."


def _filter(name: str, kind: Kind, description: str, choices: tuple[str, ...] = ()) -> Parameter:
    return Parameter(name, kind, description, choices, is_filter=True)


CUTOFF = _filter(BEFORE, "instant", f"Cutoff without look-ahead: show only what was observable by then. {_TIME}")

FILTER_PARAMETERS: tuple[Parameter, ...] = (
    _filter("item_types", "texts", "Only these types: note, news, earnings, factor, thesis, filing, transcript ..."),
    _filter("tags", "texts", "Has all of these tags."),
    _filter("any_tags", "texts", "Has at least one of these tags."),
    _filter("exclude_tags", "texts", "Has none of these tags."),
    _filter("tickers", "texts", "Is about one of these tickers, in any case."),
    _filter("periods", "texts", "Is about one of these periods, such as FY2022, in any case."),
    _filter("collections", "texts", "Only documents of these folders, by the name under which each is kept."),
    _filter("path_prefix", "text", "Only files below this folder, whole path segments, such as research/metals."),
    CUTOFF,
    _filter("available_at_after", "instant", f"Became observable then or later. {_TIME}"),
    _filter("as_of_after", "instant", f"Represents knowledge of then or later. {_TIME}"),
    _filter("as_of_before", "instant", f"Represents knowledge up to then; prevents no look-ahead. {_TIME}"),
    _filter("sources", "texts", "Source classes, most trusted first.", SOURCE_CLASSES),
    _filter("min_trust", "text", "This source class or a more trusted one.", SOURCE_CLASSES),
    _filter("source_kinds", "texts", "Kinds of source.", get_args(SourceKind)),
    _filter("kinds", "texts", "Kinds of document on the provenance card."),
    _filter("verdicts", "texts", "Verdicts on the provenance card."),
    _filter("confidence", "texts", "How sure the author is.", get_args(Confidence)),
    _filter("doc_date_after", "text", "Day on the provenance card, at least (YYYY-MM-DD)."),
    _filter("doc_date_before", "text", "Day on the provenance card, at most (YYYY-MM-DD)."),
    _filter("tree_id", "text", "Only parts of the document with this id (the UUID in its locator)."),
    _filter("artifact_kinds", "texts", "Kinds of derived product."),
    _filter("artifact_ids", "texts", "Ids of derived products, current or not."),
)
