"""Which pages of a PDF could be read, and how to say which could not."""

from __future__ import annotations

from dataclasses import dataclass, field

from hybridkb.documents.faults import count_of, ranges_of
from hybridkb.documents.limits import MAX_PAGE_CHARACTERS
from hybridkb.documents.pdf_source import RawPage
from hybridkb.documents.pdf_words import PageWords, is_unreadable
from hybridkb.knowledge.paper_source import PageState


@dataclass(slots=True)
class PageStates:
    """Remembers what was wrong with which page, each counted from 1; ``most`` is how many are read."""

    page_count: int
    most: int
    _scanned: list[int] = field(default_factory=list)
    _blank: list[int] = field(default_factory=list)
    _broken: list[int] = field(default_factory=list)
    _noise: list[int] = field(default_factory=list)
    _cut: list[int] = field(default_factory=list)

    def broken(self, number: int) -> PageState:
        """Remember a page that cannot be opened."""
        self._broken.append(number)
        return "broken"

    def of(self, number: int, raw: RawPage, read: PageWords) -> PageState:
        """Tell and remember whether a page could be read."""
        if not read.words and not read.turned:
            (self._scanned if raw.has_images else self._blank).append(number)
            return "no_text"
        if is_unreadable(read.words):
            self._noise.append(number)
            return "unreadable"
        if raw.is_cut:
            self._cut.append(number)
        return "text"

    def notes(self) -> list[str]:
        """What is to be said about the pages, a sentence each."""
        notes: list[str] = []
        of_all = f"of {count_of(self.page_count, 'page')}"
        for pages, what in (
            (self._scanned, "no text, only images (a scan?); text recognition would make them readable"),
            (self._blank, "no text"),
            (self._noise, "text whose font names no characters; it is left out, text recognition would read it"),
        ):
            if pages:
                have = "has" if len(pages) == 1 else "have"
                notes.append(f"{len(pages):,} {of_all} {have} {what}: page {ranges_of(pages)}")
        if self._broken:
            notes.append(f"{len(self._broken):,} {of_all} cannot be read: page {ranges_of(self._broken)}")
        if self._cut:
            notes.append(f"only the first {MAX_PAGE_CHARACTERS:,} characters are read of page {ranges_of(self._cut)}")
        if self.page_count > self.most:
            notes.append(f"only the first {self.most:,} {of_all} are read")
        return notes
