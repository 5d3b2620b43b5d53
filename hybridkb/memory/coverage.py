"""Coverage: what should be in the library against what is."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from hybridkb.errors import InvalidInput
from hybridkb.folder.document_item import document_id
from hybridkb.knowledge import Provenance
from hybridkb.knowledge.card import plain_slug
from hybridkb.library import HybridLibrary
from hybridkb.memory.collected import SkippedCard
from hybridkb.memory.expected import Expectation, ExpectedEntry, read_expected
from hybridkb.memory.expected_folder import read_folder
from hybridkb.upkeep import HeldItem, Inventory

ITEM_TYPES = ("memory_card", "document")
"""The types of items that have a slug or a path of their own, and so can be expected."""


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """What should be in against what is. All lists are of slugs (of documents: paths), in order.

    Attributes:
        coverage_pct: how many of the expected are in, 0 to 100. Nothing expected is 0: an empty folder is more often
            one that is not mounted than one that is covered.
        expected, covered: how many should be in, and how many of them are.
        missing: expected, and not in.
        orphans: in, and not expected.
        stale: in, but what they say now is something else.
        indexed_slugs: what is in.
        chunk_counts: how many chunks (of documents: passages) each has.
        without_provenance: in, without a provenance card.
        without_vectors: in, with chunks that have no vector in the serving space.
        truncated: in, with chunks that the model does not read to the end.
        without_availability: in, and unknown when it became observable; no search with a cutoff finds these.
        upcoming: marked as draft or upcoming; they are neither missing nor orphans.
        unreadable: what should be in and cannot be read, and why.
        not_counted: what could not be counted, and why; such lists are empty.
        taken_at: when it was counted, by the library's clock (UTC); None without a library.
    """

    coverage_pct: float
    expected: int
    covered: int
    missing: tuple[str, ...]
    orphans: tuple[str, ...]
    stale: tuple[str, ...]
    indexed_slugs: tuple[str, ...]
    chunk_counts: dict[str, int]
    without_provenance: tuple[str, ...]
    without_vectors: tuple[str, ...]
    truncated: tuple[str, ...]
    without_availability: tuple[str, ...]
    upcoming: tuple[str, ...]
    unreadable: tuple[SkippedCard, ...]
    not_counted: dict[str, str]
    taken_at: datetime | None


def coverage_report(
    expected: Any,
    library: HybridLibrary | None = None,
    *,
    indexed_slugs: Iterable[str] | None = None,
    chunk_counts: Mapping[str, int] | None = None,
    sources: Iterable[str] | None = None,
) -> CoverageReport:
    """Compare what should be in a library with what is.

    Args:
        expected: slugs; entries with slug, status and content hash (mappings, rows, objects); cards; what a reader
            collected; a folder; a manifest (.json, .jsonl, .csv); an object with ``articles()``; or a call that
            returns one of these. What is marked as draft or upcoming is not missing.
        library: counted in SQL. Its cards and documents count; where only the ones or the others are expected, only
            these.
        indexed_slugs, chunk_counts: in place of the library's own.
        sources: only what is of these classes of trust counts; the rest is no orphan.

    Raises:
        InvalidInput: nothing says what is in, or ``expected`` is not understood.
        UnreadableDocument: a manifest cannot be read.
    """
    if library is None and indexed_slugs is None and chunk_counts is None:
        raise InvalidInput("coverage needs a library, or indexed_slugs, or chunk_counts", field="library")
    inventory = library.inventory(item_types=ITEM_TYPES) if library is not None else None
    items = _of_classes(inventory.items, sources) if inventory is not None else []
    if isinstance(expected, str | os.PathLike) and os.path.isdir(expected):
        wanted = read_folder(expected, inventory, zone=library.settings.zone if library is not None else "UTC")
    else:
        wanted = read_expected(expected)
    indexed_slugs = None if indexed_slugs is None else list(indexed_slugs)
    wanted = _as_held(wanted, {*map(_name, items), *(indexed_slugs or ()), *(chunk_counts or ())})
    items = _comparable(items, wanted)
    counts = _counts(items, indexed_slugs, chunk_counts)
    return _compare(wanted, items, counts, inventory)


def _of_classes(items: Iterable[HeldItem], sources: Iterable[str] | None) -> list[HeldItem]:
    if sources is None:
        return list(items)
    wanted = {sources} if isinstance(sources, str) else set(sources)
    for source in wanted:
        Provenance(source)  # an unknown class would leave nothing, and look like a gap
    return [item for item in items if item.source_class in wanted]


def _as_held(wanted: Expectation, names: Collection[str]) -> Expectation:
    """Entries under the names that are in, where white space around them or the Unicode form is all that differs."""
    alike = {plain_slug(name): name for name in names}
    entries: dict[str, ExpectedEntry] = {}
    for slug, entry in wanted.entries.items():
        bare = slug.strip()
        name = slug if slug in names else alike.get(plain_slug(bare), bare)
        if name not in entries or entries[name].status is not None:  # of two, the one that should be in counts
            entries[name] = entry
    return replace(wanted, entries=entries)


def _comparable(items: list[HeldItem], wanted: Expectation) -> list[HeldItem]:
    """Items of the types of which at least one is expected; all, when there is none such."""
    if wanted.collection is not None:
        return [item for item in items if _is_of(item, wanted, wanted.collection)]
    types = {item.item_type for item in items if item.path in wanted.entries}
    return [item for item in items if not types or item.item_type in types]


def _is_of(item: HeldItem, wanted: Expectation, collection: str) -> bool:
    """Whether a document belongs to a collection: its id says so, unless its name can only be shown in part."""
    path = item.path or ""
    return item.item_id == document_id(collection, path) or ("\ufffd" in path and path in wanted.entries)


def _counts(
    items: list[HeldItem], indexed_slugs: Iterable[str] | None, chunk_counts: Mapping[str, int] | None
) -> dict[str, int | None]:
    """Chunks by slug; None where nobody said how many."""
    counts: dict[str, int | None] = {_name(item): item.records for item in items}
    if indexed_slugs is not None:
        counts = {slug: counts.get(slug) for slug in indexed_slugs}
    elif chunk_counts is not None:
        counts = dict.fromkeys(chunk_counts)
    return {slug: (chunk_counts or {}).get(slug, count) for slug, count in sorted(counts.items())}


def _compare(
    wanted: Expectation, items: list[HeldItem], counts: Mapping[str, int | None], inventory: Inventory | None
) -> CoverageReport:
    due = [slug for slug, entry in wanted.entries.items() if entry.status is None]
    covered = sum(slug in counts for slug in due)
    held = {_name(item): item for item in items if _name(item) in counts}

    def those(test: Callable[[HeldItem], bool]) -> tuple[str, ...]:
        return tuple(sorted(slug for slug, item in held.items() if test(item)))

    return CoverageReport(
        coverage_pct=100.0 * covered / len(due) if due else 0.0,
        expected=len(due),
        covered=covered,
        missing=tuple(sorted(slug for slug in due if slug not in counts)),
        orphans=tuple(slug for slug in counts if slug not in wanted.entries),
        stale=tuple(sorted(slug for slug in due if slug in held and _is_stale(wanted.entries[slug], held[slug]))),
        indexed_slugs=tuple(counts),
        chunk_counts={slug: count for slug, count in counts.items() if count is not None},
        without_provenance=those(lambda item: item.source_class is None),
        without_vectors=those(lambda item: item.without_vector > 0),
        truncated=those(lambda item: bool(item.truncated)),
        without_availability=those(lambda item: item.available_at is None),
        upcoming=tuple(sorted(slug for slug, entry in wanted.entries.items() if entry.status is not None)),
        unreadable=wanted.unreadable,
        not_counted=_not_counted(inventory),
        taken_at=inventory.taken_at if inventory is not None else None,
    )


def _name(item: HeldItem) -> str:
    return item.path or str(item.item_id)


def _is_stale(entry: ExpectedEntry, item: HeldItem) -> bool:
    """Whether what the entry says differs from what the library was told; what nobody said does not."""
    other_text = entry.content_hash is not None and item.source_hash not in (None, entry.content_hash)
    return other_text or (entry.available_at is not None and entry.available_at != item.available_at)


def _not_counted(inventory: Inventory | None) -> dict[str, str]:
    """The lists that are empty because nobody could say."""
    if inventory is None:
        why = "no library was given"
        names = ("stale", "without_provenance", "without_vectors", "truncated", "without_availability")
        return dict.fromkeys(names, why)
    return {} if inventory.model_reason is None else {"truncated": inventory.model_reason}
