"""The part of a text that shows best why it was found, matched words in brackets.

The text is read in blocks, and only words that the matcher knows are located exactly, so a long text costs little.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from hybridkb.text.analyser import Analyser, plain_word
from hybridkb.text.characters import cluster_end

BLOCK = 100_000
"""Characters looked at together; the first block with a match gives the snippet."""
MAX_BLOCKS = 20
"""Blocks looked at before the text counts as one without a match."""

_BLANK = re.compile(r"[\s\x00-\x1f\x7f]+")
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class _Match:
    """A stretch of the text to show in brackets, and the words matched in it."""

    start: int
    end: int
    words: frozenset[str]


def make_snippet(text: str, is_match: Callable[[str], bool], analyser: Analyser, *, width: int = 240) -> str:
    """Cut the best window out of one text; see :class:`SnippetMaker`."""
    return SnippetMaker(is_match, analyser, width=width).cut(text)


class SnippetMaker:
    """Cuts snippets out of the hits of one query; remembers where the chunks with a match hold it."""

    def __init__(self, is_match: Callable[[str], bool], analyser: Analyser, *, width: int = 240) -> None:
        """Keep what every text needs.

        Args:
            is_match: whether a word of a text is matched, as ``ParsedQuery.matcher`` gives it.
            analyser: the analyser of the library.
            width: about how many characters of a text to show.
        """
        self._is_match = is_match
        self._analyser = analyser
        self._width = width
        self._places: dict[str, list[tuple[int, int, str]]] = {}

    def cut(self, text: str, *, behind: int = 0, held: Iterable[int] | None = None) -> str:
        """Cut the best window out of a text: the most different matched words, then the earliest.

        Args:
            text: the text.
            behind: where its title ends, which is shown anyway: it is left out unless more different words meet
                with it than without.
            held: which stretches between white space hold a match, counted from 0 and ascending, if that is known.

        Returns:
            The window with white space collapsed, ``[matched]`` words and "…" where the text goes on.
        """
        matches = _first_matches(text, self._found) if held is None else list(_merged(self._held(text, held)))
        first, last = _best(matches, self._width)
        if behind:
            body = [_Match(one.start - behind, one.end - behind, one.words) for one in matches if one.start >= behind]
            best = _best(body, self._width)
            if _different(body[slice(*best)]) >= _different(matches[first:last]):
                text, matches, (first, last) = text[behind:], body, best
        start, end = _window(text, matches[first:last], self._width)
        marked = _mark(text, start, end, matches)
        return f"{_ELLIPSIS if start > 0 else ''}{marked}{_ELLIPSIS if end < len(text) else ''}"

    def _found(self, text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """The matched words of a block with their places."""
        block = text[start:end]
        chunks = block.split()
        by_chunk = self._analyser.words_by_chunk(chunks)
        matched = set(filter(self._is_match, {*chain.from_iterable(by_chunk)}))
        if not matched:
            return
        held = [chunk for chunk, words in zip(chunks, by_chunk, strict=True) if not matched.isdisjoint(words)]
        for first, last, stem in self._places_of(block, held):
            yield start + first, start + last, stem

    def _held(self, text: str, held: Iterable[int]) -> Iterator[tuple[int, int, str]]:
        """The matched words of a text of which it is known where they are."""
        chunks = text.split()
        return self._places_of(text, [chunks[place] for place in held])

    def _places_of(self, text: str, chunks: Iterable[str]) -> Iterator[tuple[int, int, str]]:
        """The matched words of a text with their places; the chunks are all that hold one, in order."""
        behind = 0
        for chunk in chunks:
            at = _find_chunk(text, chunk, behind)
            behind = at + len(chunk)
            for first, last, stem in self._places_in(chunk):
                yield at + first, at + last, stem

    def _places_in(self, chunk: str) -> list[tuple[int, int, str]]:
        """Where a chunk holds matched words, and their stems."""
        places = self._places.get(chunk)
        if places is None:
            plain = plain_word(chunk)
            if plain:
                places = [(0, len(plain[0]), self._analyser.stem(plain[0]))]
            else:
                tokens = [token for token in self._analyser.tokens(chunk) if self._is_match(token.word)]
                places = [(token.start, token.end, self._analyser.stem(token.word)) for token in tokens]
            self._places[chunk] = places
        return places


def _find_chunk(text: str, chunk: str, at: int) -> int:
    """The first place from ``at`` on where the chunk stands between white space; it is there."""
    while True:
        found = text.index(chunk, at)
        end = found + len(chunk)
        if (found == 0 or text[found - 1].isspace()) and (end == len(text) or text[end].isspace()):
            return found
        at = found + 1


def _first_matches(text: str, found: Callable[[str, int, int], Iterator[tuple[int, int, str]]]) -> list[_Match]:
    """The matches of the first block that has any."""
    start = 0
    for _ in range(MAX_BLOCKS):
        if start >= len(text):
            break
        end = _word_border(text, start + BLOCK)
        matches = list(_merged(found(text, start, end)))
        if matches:
            return matches
        start = end
    return []


def _word_border(text: str, at: int) -> int:
    """The next white space, unless it is far away."""
    if at >= len(text):
        return len(text)
    blank = _BLANK.search(text, at, at + 200)
    return blank.start() if blank else _cluster_border(text, at)


def _merged(found: Iterator[tuple[int, int, str]]) -> Iterator[_Match]:
    """Matches that overlap or touch as one: a whole token and its pieces, neighbouring pairs."""
    stretch: tuple[int, int, set[str]] | None = None
    for start, end, word in found:
        if stretch is not None and start <= stretch[1]:
            stretch = (min(start, stretch[0]), max(end, stretch[1]), stretch[2] | {word})
            continue
        if stretch is not None:
            yield _Match(stretch[0], stretch[1], frozenset(stretch[2]))
        stretch = (start, end, {word})
    if stretch is not None:
        yield _Match(stretch[0], stretch[1], frozenset(stretch[2]))


def _best(matches: list[_Match], width: int) -> tuple[int, int]:
    """The stretch of matches within ``width`` with the most different words, the earliest of equals."""
    if not matches or matches[-1].end - matches[0].start <= width:
        return 0, len(matches)
    best = (0, 0, 0)
    held: dict[str, int] = {}
    first = 0
    for last, match in enumerate(matches):
        for word in match.words:
            held[word] = held.get(word, 0) + 1
        while first < last and match.end - matches[first].start > width:
            for word in matches[first].words:
                held[word] -= 1
                if not held[word]:
                    del held[word]
            first += 1
        if len(held) > best[0]:
            best = (len(held), first, last + 1)
    return best[1], best[2]


def _different(matches: list[_Match]) -> int:
    """How many different words these matches hold."""
    return len(frozenset().union(*(match.words for match in matches)))


def _window(text: str, shown: list[_Match], width: int) -> tuple[int, int]:
    """Where to cut: the matches with some context, at word borders."""
    if not shown:
        return 0, _cut_after(text, 0, width)
    first, last = shown[0].start, shown[-1].end
    spare = max(0, width - (last - first))
    start = max(0, min(first - spare // 3, len(text) - width))
    start = _cut_before(text, start, first)
    return start, _cut_after(text, min(shown[0].end, start + width), start + width)


def _cut_before(text: str, start: int, first: int) -> int:
    """The first word border from ``start`` on, or the next cluster where no words are parted."""
    if start == 0:
        return 0
    blank = _BLANK.search(text, start - 1, first)
    return blank.end() if blank else _cluster_border(text, start)


def _cut_after(text: str, first: int, end: int) -> int:
    """The last word border up to ``end`` that lies behind ``first``, or the cluster before it."""
    if end >= len(text):
        return len(text)
    at = end
    while at >= first and not _BLANK.match(text, at):
        at -= 1
    if at < first:
        return _cluster_border(text, end)
    while at > first and _BLANK.match(text, at - 1):
        at -= 1
    return at


def _cluster_border(text: str, at: int) -> int:
    """The end of the cluster that ``at`` falls into, or ``at`` if it is a border."""
    border = max(0, at - 64)
    while border < at:
        border = cluster_end(text, border)
    return border


def _mark(text: str, start: int, end: int, matches: list[_Match]) -> str:
    """The window with what is matched in it in brackets."""
    parts: list[str] = []
    at = start
    for match in matches:
        first, last = max(match.start, at), min(match.end, end)
        if first < last:
            parts += text[at:first], "[", text[first:last], "]"
            at = last
    parts.append(text[at:end])
    return _BLANK.sub(" ", "".join(parts)).strip()
