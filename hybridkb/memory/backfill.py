"""Provenance cards for what was stored without one: once, for all its states, and nothing else is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TypeAlias

from hybridkb.errors import HybridKBError, InvalidInput
from hybridkb.ingest import ProgressCallback, PutReport
from hybridkb.knowledge import KnowledgeItem, Provenance, read_items
from hybridkb.knowledge.registry import registered_types
from hybridkb.library import HybridLibrary
from hybridkb.memory.collected import SkippedCard

Chooser: TypeAlias = Callable[[KnowledgeItem], Provenance | None]

_BATCH = 200


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """What a back-fill did.

    Attributes:
        items: items that got a card.
        revisions: states of theirs that got it.
        left: states that stay without, because nothing was chosen for them.
        skipped: states that could not be stored, and why.
    """

    items: int
    revisions: int
    left: int
    skipped: tuple[SkippedCard, ...]


def backfill_provenance(
    library: HybridLibrary,
    provenance: Provenance | Chooser,
    *,
    item_types: Iterable[str] | None = None,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
) -> BackfillReport:
    """Give a provenance card to every item that has none, in all its states, withdrawn ones too.

    Running it again does nothing. Nothing is embedded. The cards of past states are edits of the past, and the audit
    says so. Documents of a folder are passed over: theirs are written in their front matter.

    Args:
        library: open for writing, or for reading when ``dry_run``.
        provenance: the card, or a function of the item that chooses one, or None for an item that stays without.
        item_types: only these types; None is all but documents.
        dry_run: count, and write nothing.
        progress: called with (states done, None).

    Raises:
        InvalidInput: neither a card nor a function, or an item type that is unknown.
        DatabaseError: the file could not be written; what was written stays, and a second run goes on.
    """
    if not isinstance(provenance, Provenance) and not callable(provenance):
        raise InvalidInput("provenance is a card, or a function that chooses one for an item", field="provenance")
    run = _Run(provenance, None if item_types is None else _types(item_types))
    changed = run.changed(library.export())
    while batch := list(islice(changed, _BATCH)):
        report = None if dry_run else library.put_many(batch, embed=False, on_error="skip")
        run.note(batch, report)
        if progress is not None:
            progress(run.revisions, None)
    return BackfillReport(len(run.items), run.revisions, run.left, tuple(run.skipped))


def _types(item_types: Iterable[str]) -> frozenset[str]:
    """The types that are asked for, all of them known: a mistyped one would look as if nothing was left to do."""
    asked, known = frozenset([item_types] if isinstance(item_types, str) else item_types), registered_types()
    for name in sorted(asked - set(known)):
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
        raise InvalidInput(f"there is no item type {name!r}; {hint}", field="item_types")
    return asked


class _Run:
    """One pass over everything the library holds."""

    def __init__(self, provenance: Provenance | Chooser, item_types: frozenset[str] | None) -> None:
        self.items: set[str] = set()
        self.revisions = 0
        self.left = 0
        self.skipped: list[SkippedCard] = []
        self._provenance = provenance
        self._types = item_types

    def changed(self, lines: Iterable[str]) -> Iterator[KnowledgeItem]:
        """The states that have no card, with one."""
        for _, entry in read_items(lines):
            if isinstance(entry, HybridKBError):
                raise entry
            if not isinstance(entry, KnowledgeItem) or entry.provenance is not None or not self._wanted(entry):
                continue
            card = self._provenance if isinstance(self._provenance, Provenance) else self._provenance(entry)
            if card is None:
                self.left += 1
            else:
                yield entry.model_copy(update={"provenance": card})

    def note(self, batch: Sequence[KnowledgeItem], report: PutReport | None) -> None:
        """Count what was written; without a report, what would be."""
        skipped = {one.position: one.reason for one in report.skipped} if report is not None else {}
        for position, item in enumerate(batch):
            if position in skipped:
                self.skipped.append(SkippedCard(str(item.id), skipped[position]))
            else:
                self.items.add(str(item.id))
                self.revisions += 1

    def _wanted(self, item: KnowledgeItem) -> bool:
        return item.item_type != "document" if self._types is None else item.item_type in self._types
