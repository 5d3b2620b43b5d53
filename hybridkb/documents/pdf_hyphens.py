"""Words parted by a hyphen at the end of a line: one word, or a compound that keeps its hyphen?

A soft hyphen always joins. Otherwise the document decides: the word as it stands elsewhere (joined, or with its
hyphen). If it stands nowhere, the halves are joined when the second begins with a small letter, unless they look like
a compound: both are words of the document by themselves (``long-`` ``term``), or the first is one and the second is
too long for an ending (``sequence-`` ``aligned``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hybridkb.documents.lines import between
from hybridkb.documents.pdf_words import HYPHEN

SOFT_HYPHEN = "\u00ad"
_HYPHENS = (HYPHEN, "-", "\u2010", SOFT_HYPHEN)
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011'’][^\W\d_]+)*")
_LAST = re.compile(r"[^\W\d_]+\Z")
_FIRST = re.compile(r"[^\W\d_]+")
_DOTS = re.compile(r"(?: ?\.){6,}")
_PREFIXES = frozenset("under over inter super trans counter back fore some any every with through out down".split())
_ENDINGS = ("ation", "ations", "tional", "tively", "ability", "ibility", "mental", "ments", "nesses", "ingly", "ances")


class Vocabulary:
    """The words of a document as they stand within its lines."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Collect them; a word at a hyphenated end of a line is none."""
        self._words: set[str] = set()
        after_hyphen = False
        for line in lines:
            words = _WORD.findall(line.lower())
            if after_hyphen:
                words = words[1:]
            after_hyphen = line.endswith(_HYPHENS)
            self._words.update(words[:-1] if after_hyphen else words)

    def join(self, before: str, after: str) -> str:
        """Join a line to the text before it."""
        if not before.endswith(_HYPHENS):
            return before + between(before, after) + after
        first, second = _LAST.search(before[:-1]), _FIRST.match(after)
        hyphen = before[-1].replace(HYPHEN, "-")
        if first is None or second is None:
            kept = "" if before[-1] == SOFT_HYPHEN else hyphen
            apart = " " if first is None and before[:-1].endswith(" ") else ""
            return before[:-1] + kept + apart + after
        is_one = before[-1] == SOFT_HYPHEN or self._is_one_word(first[0], second[0])
        return before[:-1] + ("" if is_one else hyphen) + after

    def _is_one_word(self, first: str, second: str) -> bool:
        one, other = first.lower(), second.lower()
        if one + other in self._words:
            return True
        if f"{one}-{other}" in self._words or not second[0].islower():
            return False
        if one not in self._words or one in _PREFIXES:
            return True
        return other not in self._words and (len(one) < 4 or len(other) < 5 or other.endswith(_ENDINGS))


def ends_parted(text: str) -> bool:
    """Whether a text ends within a word that goes on elsewhere."""
    return text.endswith(_HYPHENS) and _LAST.search(text[:-1]) is not None


def without_marks(text: str) -> str:
    """A finished text: hyphens left over as they are printed, soft hyphens gone, rows of dots short."""
    text = text.replace(HYPHEN, "-").replace(SOFT_HYPHEN, "")
    return _DOTS.sub(" ...", text) if "..." in text or ". ." in text else text
