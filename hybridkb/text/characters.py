"""Characters: which belong together, how each is folded, and which part it can play in a word.

Folding works cluster by cluster (a character with the marks that follow it), so that every folded character knows
where it came from and offsets into the text as it was written stay exact.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

LONGEST_CLUSTER = 32
"""Nobody writes more marks on one character, and sorting them takes quadratic time."""

_HYPHENS = "\u2010\u2011\u2012\u2013\u2043\u2212\ufe58\ufe63\uff0d"
_APOSTROPHES = "\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201a\u201b\u2032\uff07"
_DIVIDERS = "\u2014\u2015\u2e3a\u2e3b\u2122\u2120\u00ae\u00a9\u200b"
_PUNCTUATION = {
    **dict.fromkeys(_HYPHENS, "-"),
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(_DIVIDERS, " "),
    "\u066a": "%",
    "\u066b": ".",
    "\u066c": ",",  # Arabic per cent, decimal and thousands signs
}
"""Punctuation that NFKC would leave apart, spoil, or glue to its neighbour."""

_WITHOUT_DECOMPOSITION = (
    "øo łl đd ðd ıi ħh ŧt ŋn ƒf ƀb ɓb ƃb ƈc ɗd ƌd ɖd ǥg ɠg ɦh ɨi ɉj ƙk ⱪk ƚl ɫl ⱡl ɱm ɲn ƞn ɵo ƥp ɋq ɍr ɽr "
    "ʂs ȿs ƫt ƭt ʈt ⱦt ʉu ʋv ƴy ɏy ƶz ɀz ɐa ɇe ȼc ꞓc ⱨh ĸk"
)
_LIGATURES = {
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "ß": "ss",
    "ȸ": "db",
    "ȹ": "qp",
    "\u02bc": "'",
    "\u02be": "",
    "\u02bf": "",
}
_CYRILLIC = {"ё": "е", "ѐ": "е", "ѝ": "и"}


def _marks_without_meaning() -> Iterator[str]:
    """Points, accents and selectors that a reader's keyboard leaves out: general, Hebrew, Arabic, variation."""
    ranges = (
        (0x0300, 0x0370), (0x1AB0, 0x1B00), (0x1DC0, 0x1E00), (0x20D0, 0x2100), (0xFE00, 0xFE10), (0xFE20, 0xFE30),
        (0xE0100, 0xE01F0), (0x180B, 0x1810), (0x034F, 0x0350), (0x0591, 0x05BE), (0x05BF, 0x05C0), (0x05C1, 0x05C3),
        (0x05C4, 0x05C6), (0x05C7, 0x05C8), (0x064B, 0x0653), (0x0670, 0x0671), (0x0640, 0x0641),
    )  # fmt: skip
    for first, end in ranges:
        yield from map(chr, range(first, end))


_SPELLING = str.maketrans(
    {
        **{pair[0]: pair[1] for pair in _WITHOUT_DECOMPOSITION.split()},
        **_LIGATURES,
        **_PUNCTUATION,
        **_CYRILLIC,
        **dict.fromkeys(_marks_without_meaning(), ""),
    }
)

_ACCENTED_SCRIPTS = (
    (0x0041, 0x0400), (0x1D00, 0x1DC0), (0x1E00, 0x2000), (0x2C60, 0x2C80), (0xA720, 0xA800), (0xAB30, 0xAB70),
)  # fmt: skip
"""Latin and Greek: letters whose marks are accents. Cyrillic й, ї and ў are letters of their own and stay."""

_UNSPACED_SCRIPTS = (
    (0x0E00, 0x0F00), (0x1000, 0x10A0), (0x1100, 0x1200), (0x1780, 0x1800), (0x2E80, 0x2FE0), (0x3005, 0x3008),
    (0x3021, 0x302A), (0x3031, 0x3036), (0x3038, 0x303D), (0x3041, 0x30A0), (0x30A1, 0x30FB), (0x30FC, 0x3130),
    (0x3131, 0x318F), (0x31A0, 0x31C0), (0x31F0, 0x3200), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xA960, 0xA980),
    (0xA9E0, 0xAA00), (0xAA60, 0xAA80), (0xAC00, 0xD800), (0xF900, 0xFB00), (0x1B000, 0x1B170), (0x20000, 0x323B0),
)  # fmt: skip
"""Scripts written without spaces between words (Han, kana, Thai, Lao, Burmese, Khmer), and Hangul."""


def _within(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= code < end for first, end in ranges)


def _drop_accents(decomposed: str) -> str:
    """Leave out the marks that follow a Latin or Greek letter."""
    kept = []
    accented = False
    for character in decomposed:
        if unicodedata.category(character)[0] != "M":
            accented = _within(ord(character), _ACCENTED_SCRIPTS)
            kept.append(character)
        elif not accented:
            kept.append(character)
    return "".join(kept)


def _spell(text: str) -> str:
    """NFKC, case folded, without accents, letters that do not decompose written with those that do."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = unicodedata.normalize("NFC", _drop_accents(unicodedata.normalize("NFD", text)))
    text = text.translate(_SPELLING)
    return "".join(str(unicodedata.decimal(c)) if unicodedata.category(c) == "Nd" else c for c in text)


def _is_raised_digit(character: str) -> bool:
    return character.isdigit() and unicodedata.decomposition(character).startswith("<super>")


@lru_cache(maxsize=1 << 15)
def fold(cluster: str) -> str:
    """The folded spelling of one cluster: a space if it divides words, nothing if it is invisible.

    A raised digit is a footnote or a power and a fraction follows its whole number: both stand apart, so that 10² is
    not 102 and 5½ is not 51/2.
    """
    first = cluster[0]
    if first in _PUNCTUATION:
        return _PUNCTUATION[first]
    category = unicodedata.category(first)
    if category == "Cf":
        return ""
    if category[0] == "C":
        return " "
    if first.isascii() and len(cluster) == 1:
        return first.lower()
    spelt = _spell(cluster)
    if _is_raised_digit(first) or "\u2044" in spelt:
        return " " + spelt.replace("\u2044", "/")
    return "".join(c for c in spelt if unicodedata.category(c)[0] != "C")


def _ascii_shape(character: str) -> str:
    if character.isalpha():
        return "a"
    if character.isdigit():
        return "d"
    return character if character in "'.-&/_=,:+$^%#" else " "


_ASCII_SHAPES = str.maketrans({chr(code): _ascii_shape(chr(code)) for code in range(128)})


@lru_cache(maxsize=1 << 15)
def shape(character: str) -> str:
    """The part a folded character plays: ``a`` letter, ``d`` digit, ``m`` mark, ``c`` unspaced script, ``$`` currency,
    a joining sign for itself, and a space for what divides words."""
    if character.isascii():
        return _ascii_shape(character)
    category = unicodedata.category(character)
    if category == "Sc":
        return "$"
    if category[0] == "M":
        return "m"
    if category[0] not in "LN":
        return " "
    return "c" if _within(ord(character), _UNSPACED_SCRIPTS) else "a"


def _extends(text: str, start: int, at: int) -> bool:
    """Whether the character at ``at`` belongs to the cluster that began at ``start``."""
    character = text[at]
    if character < "\u0300":
        return False
    code, before = ord(character), ord(text[at - 1])
    if unicodedata.category(character)[0] == "M" or code in (0x200D, 0xFF9E, 0xFF9F):
        return True
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return True
    if 0x1F1E6 <= code <= 0x1F1FF:
        return 0x1F1E6 <= before <= 0x1F1FF and at - start == 1
    if before == 0x200D:
        return unicodedata.category(character) == "So"
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FB:
        return 0x1100 <= before <= 0x11FF or 0xAC00 <= before <= 0xD7FB
    return 0x1100 <= code <= 0x115F and 0x1100 <= before <= 0x115F


def cluster_end(text: str, start: int) -> int:
    """Where the cluster that starts at ``start`` ends: marks, joined emoji, flags and Hangul letters stay together."""
    end = start + 1
    limit = min(len(text), start + LONGEST_CLUSTER)
    while end < limit and _extends(text, start, end):
        end += 1
    return end


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text, its shape, and where each of its characters came from.

    Attributes:
        text: the folded spelling.
        shape: for each character of ``text``, the part it plays.
        starts: where the cluster of each character starts in the text as written; None if nothing moved.
        ends: where it ends.
    """

    text: str
    shape: str
    starts: list[int] | None
    ends: list[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the text as written of the folded characters from ``start`` to ``end``."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


_UNCHANGED = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{2,}")
"""Characters that fold to themselves; the last of a stretch may still be followed by a mark."""


def fold_text(text: str) -> Folded:
    """Fold a text that holds no white space."""
    if text.isascii():
        lower = text.lower()
        return Folded(lower, lower.translate(_ASCII_SHAPES), None, None)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, spelt in _spelt_clusters(text):
        parts.append(spelt)
        if spelt == text[start:end]:
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:
            starts += [start] * len(spelt)
            ends += [end] * len(spelt)
    folded = "".join(parts)
    shapes = "".join(map(shape, folded))
    unmoved = len(folded) == len(text) and starts == list(range(len(text)))
    return Folded(folded, shapes, None, None) if unmoved else Folded(folded, shapes, starts, ends)


def _spelt_clusters(text: str) -> Iterator[tuple[int, int, str]]:
    """Each cluster with its place and folded spelling; stretches that fold to themselves at once."""
    at = 0
    while at < len(text):
        unchanged = _UNCHANGED.match(text, at) if text[at] > "\u3040" else None
        if unchanged is not None:
            end = unchanged.end() - 1
            yield at, end, text[at:end]
        else:
            end = cluster_end(text, at)
            yield at, end, fold(text[at:end])
        at = end
