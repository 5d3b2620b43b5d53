"""What a summarising model may read of a paper: the list of its passages, their text, and where words stand.

Every answer is bounded, and what is quoted stands between fences that no text can close. Which passages were shown is
kept: nothing else may be cited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hybridkb.knowledge.paper_artifacts import PaperChunk, PaperChunkSet
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.text.quoting import clean, fence_name, fenced, one_line

CUT = "… [cut here]"
LEAST_SHOWN = 200
MOST_FOUND = 12

_FIRST_WORDS = 60
_HEADING = 120
_ABOUT = 300
_AROUND = 120
_MOST_NAMED = 120
_WORD = re.compile(r"\w+")


class Reading:
    """One paper, as far as a model has read it.

    Attributes:
        fence: the name on the fences; it stands nowhere in the paper.
        read: ids of the passages whose text was given to a model.
    """

    def __init__(self, source: PaperSourceRevision, chunk_set: PaperChunkSet, characters: int) -> None:
        """Take the paper, and how many characters one answer may have."""
        self.chunk_set = chunk_set
        self.read: set[str] = set()
        self._source = source
        self._characters = characters
        self._by_id = {chunk.chunk_id: chunk for chunk in chunk_set.chunks}
        self._folded: list[str] | None = None
        self.fence = fence_name(
            [source.title, *source.authors, source.abstract]
            + [part for chunk in chunk_set.chunks for part in (chunk.chunk_id, chunk.text, *chunk.heading)]
        )

    def about(self) -> str:
        """What the paper is, in a few lines."""
        authors = ", ".join(self._source.authors)
        lines = [f"Title: {one_line(self._source.title)[:_ABOUT]}"]
        if authors:
            lines.append(f"Authors: {one_line(authors)[:_ABOUT]}")
        chunks = self.chunk_set.chunks
        lines.append(f"Pages: {len(self._source.pages)}. Passages: {len(chunks)}.")
        return fenced("\n".join(lines), self.fence)

    def whole(self) -> str | None:
        """The text of every passage if one answer has room for it, all marked as read; else None."""
        chunks = self.chunk_set.chunks
        if sum(len(chunk.text) for chunk in chunks) > self._characters:
            return None
        shown = self._fenced("\n\n".join(_shown(chunk, clean(chunk.text)) for chunk in chunks))
        if len(shown) > self._characters:
            return None
        self.read.update(self._by_id)
        return shown

    def listed(self, first: int = 1, last: int | None = None) -> str:
        """The list of passages from the ``first`` to the ``last``, counted from 1: id, pages, length, headings, words.

        Says where to go on when not all fit.
        """
        chunks = self.chunk_set.chunks
        first, last = max(1, first), min(len(chunks), last or len(chunks))
        lines: list[str] = []
        room = self._characters - 2 * LEAST_SHOWN
        for number in range(first, last + 1):
            line = _line(chunks[number - 1])
            if lines and len(line) + 1 > room:
                return f"{self._fenced(chr(10).join(lines))}\nGo on with list_chunks(first={number}, last={last})."
            lines.append(line[: max(room, LEAST_SHOWN)])
            room -= len(line) + 1
        return self._fenced("\n".join(lines)) if lines else f"There are passages 1 to {len(chunks)}, none of these."

    def text_of(self, ids: Sequence[str], *, characters: int | None = None) -> tuple[str, list[str]]:
        """The text of these passages, as many as fit, and which they are. Says which are unknown or were left out.

        A passage that is longer than one answer is cut, and says so. Whoever hands the text to a model marks them.
        """
        known, unknown = self._sorted_out(ids)
        room = (characters or self._characters) - 2 * LEAST_SHOWN
        shown: dict[str, str] = {}
        left: list[str] = []
        for chunk in known:
            text = clean(chunk.text)
            if not shown and len(text) > room:
                text = text[: max(room, LEAST_SHOWN)] + CUT
            passage = _shown(chunk, text)
            if shown and (left or len(passage) > room):
                left.append(chunk.chunk_id)
                continue
            shown[chunk.chunk_id] = passage
            room -= len(passage) + 2
        said = [self._fenced("\n\n".join(shown.values()))] if shown else []
        if left:
            said.append(f"No room for {_names(left)}: ask for them again, or have them summarised.")
        if unknown:
            said.append(f"There is no passage {_names(unknown)}.")
        return "\n".join(said) or "Name the passages to read.", list(shown)

    def found(self, words: str) -> str:
        """The passages that hold most of these words, with the place of the first one; plain words, no patterns."""
        wanted = list(dict.fromkeys(_WORD.findall(words.casefold())))[:MOST_FOUND]
        if not wanted:
            return "Name the words to look for."
        hits = []
        for chunk, text in zip(self.chunk_set.chunks, self._folded_texts(), strict=True):
            held = [word for word in wanted if word in text]
            if held:
                hits.append((-len(held), chunk.position, chunk, text.find(held[0])))
        hits.sort(key=lambda hit: hit[:2])
        if not hits:
            return "No passage holds any of these words."
        lines = [f"{_line(chunk)} … {_around(chunk.text, at)}" for _, _, chunk, at in hits[:MOST_FOUND]]
        said = self._fenced("\n".join(lines)[: self._characters - LEAST_SHOWN])
        return f"{said}\n{len(hits)} passages hold some of these words; read a passage before you rest on it."

    def mark(self, ids: Iterable[str]) -> None:
        """Note that the text of these passages was given to a model."""
        self.read.update(ids)

    def unknown(self, ids: Iterable[str]) -> list[str]:
        """Those of the ids that no passage has."""
        return [one for one in ids if one not in self._by_id]

    def size_of(self, ids: Sequence[str]) -> int:
        """Characters of these passages together."""
        return sum(len(chunk.text) for chunk in self._sorted_out(ids)[0])

    def quote(self, text: str) -> str:
        """Put a text between the fences; should it hold their name, that is taken out."""
        return self._fenced(clean(text).replace(self.fence, ""))

    def _fenced(self, text: str) -> str:
        return fenced(text, self.fence)

    def _sorted_out(self, ids: Sequence[str]) -> tuple[list[PaperChunk], list[str]]:
        once = list(dict.fromkeys(ids))
        return [self._by_id[one] for one in once if one in self._by_id], self.unknown(once)

    def _folded_texts(self) -> list[str]:
        if self._folded is None:
            self._folded = [chunk.text.casefold() for chunk in self.chunk_set.chunks]
        return self._folded


def _shown(chunk: PaperChunk, text: str) -> str:
    return f"[{one_line(chunk.chunk_id)} | {_pages(chunk)}{_under(chunk)}]\n{text}"


def _line(chunk: PaperChunk) -> str:
    first = one_line(chunk.text[: 2 * _FIRST_WORDS])[:_FIRST_WORDS]
    return f"{one_line(chunk.chunk_id)} | {_pages(chunk)} | {len(chunk.text)} characters{_under(chunk)} | {first}"


def _pages(chunk: PaperChunk) -> str:
    pages = chunk.pages
    return f"p. {pages[0]}" if len(pages) == 1 else f"pp. {', '.join(map(str, pages[:8]))}"


def _under(chunk: PaperChunk) -> str:
    return f" | {one_line(' > '.join(chunk.heading))[:_HEADING]}" if chunk.heading else ""


def _around(text: str, at: int) -> str:
    return one_line(text[max(0, at - _AROUND) : at + _AROUND])


def _names(ids: Sequence[str]) -> str:
    """Some of the ids, so short that two such lists and the fences fit into the room kept beside a text."""
    named: list[str] = []
    for one in ids[:8]:
        named.append(one_line(one)[:40])
        if len(", ".join(named)) > _MOST_NAMED - 20:
            named.pop()
            break
    more = f" and {len(ids) - len(named):,} more" if len(ids) > len(named) else ""
    return (", ".join(named) or "one of a long name") + more
