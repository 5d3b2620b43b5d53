"""Files of knowledge, item by item: what can be put is passed on, what cannot be read is noted with its line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from hybridkb.errors import HybridKBError, UnreadableDocument
from hybridkb.knowledge import Entry, KnowledgeItem, read_items, write_line

if TYPE_CHECKING:
    from hybridkb.ingest import PutReport
    from hybridkb.library import HybridLibrary

Numbered = Iterable[tuple[int, Entry | HybridKBError]]


@dataclass(slots=True)
class Reading:
    """One file on its way into a library.

    Attributes:
        name: the file, for messages.
        strict: whether the first bad line ends it.
        skipped: (line, reason) of what was left out.
    """

    name: str
    strict: bool
    skipped: list[tuple[int, str]] = field(default_factory=list)

    def put(self, library: HybridLibrary, entries: Numbered) -> Iterator[PutReport]:
        """Put runs of items in batches, and let withdrawals and purges happen between them."""
        from hybridkb.ingest.restore import is_plain_item

        good = self._good(entries)
        for is_plain, run in groupby(good, key=lambda entry: is_plain_item(entry[1])):
            store = self._put_items if is_plain else self._restore
            yield store(library, run)

    def _good(self, entries: Numbered) -> Iterator[tuple[int, Entry]]:
        for number, entry in entries:
            if not isinstance(entry, HybridKBError):
                yield number, entry
            elif self.strict:
                raise entry
            else:
                self.skipped.append((number, str(entry.__cause__ or entry)))

    def _put_items(self, library: HybridLibrary, run: Iterable[tuple[int, Entry]]) -> PutReport:
        numbers: list[int] = []

        def items() -> Iterator[KnowledgeItem]:
            for number, item in run:
                numbers.append(number)
                assert isinstance(item, KnowledgeItem)
                yield item

        report = library.put_many(items(), on_error="raise" if self.strict else "skip", embed=False)
        self.skipped += [(numbers[one.position], one.reason) for one in report.skipped]
        return report

    def _restore(self, library: HybridLibrary, run: Iterable[tuple[int, Entry]]) -> PutReport:
        """Let withdrawals and purges happen, and put papers back."""
        numbers: list[int] = []

        def lines() -> Iterator[str]:
            for number, entry in run:
                numbers.append(number)
                yield write_line(entry)

        report = library.import_lines(lines(), on_error="raise" if self.strict else "skip", embed=False)
        self.skipped += [(numbers[one.position], one.reason) for one in report.skipped]
        return report


def knowledge_entries(lines: Iterable[bytes], name: str) -> Numbered:
    """Read JSON Lines of knowledge."""
    return read_items(lines, name=name)


def converted_entries(lines: Iterable[bytes], read: Callable[[bytes], KnowledgeItem], name: str) -> Numbered:
    """Read lines of another shape with ``read``, which turns one into an item."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, read(line)
        except HybridKBError as error:
            report = UnreadableDocument(f"{name}, line {number}: {error}", path=name, place=number)
            report.__cause__ = error
            yield number, report
