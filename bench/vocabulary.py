"""A vocabulary that looks like English and is frequent like English, made from a seed and nothing else.

Function words are real (a search engine knows them), everything else is invented: stems of two to four
syllables with English endings, so that a stemmer has something to do, and a long tail of codes and numbers.
Ranks follow Zipf's law with Mandelbrot's offset; with the topics of ``corpus.py`` there are some 85,000 different
words in 10,000 passages, 255,000 in 100,000 and 650,000 in a million, about as many as in English web text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

FUNCTION_WORDS = tuple(
    """the of and to a in is that for it as was with be by on at are this from or an which have but has had its they
    were their been there will would when who them than into him you can we she he his her my all some other what so
    if about out these only then any could do may such each those how more also like through between should must
    being under over after most before where much because""".split()
)
STEMS = 40_000
TAIL = 600_000
ENDINGS = ("", "s", "ed", "ing", "er", "ly", "ation")
_ENDING_SHARES = (0.62, 0.19, 0.06, 0.07, 0.02, 0.02, 0.02)
_FUNCTION_SHARE, _TAIL_SHARE = 0.42, 0.02

_ONSETS = "b c d f g h j k l m n p r s t v w b c d f l m n p r s t br cl cr dr fl gr pr sh st th tr ch qu".split()
_VOWELS = "a e i o u a e i o u a e i o ai ea ou".split()
_CODAS = ("", *"n r t l s m d n r t l nd st ck ng".split())


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by rank of their kind: function words, then every stem with every ending, then the tail.

    Attributes:
        words: as written inside a sentence.
        cumulative: cumulative shares of running text, by word.
        first_content, first_tail: where the kinds begin.
    """

    words: NDArray[np.object_]
    cumulative: NDArray[np.float64]
    first_content: int
    first_tail: int

    def draw(self, source: np.random.Generator, count: int) -> NDArray[np.int64]:
        """Draw words as they come in running text."""
        found = np.searchsorted(self.cumulative, source.random(count), side="right")
        return np.minimum(found, len(self.words) - 1).astype(np.int64)

    def content(self, stems: NDArray[np.int64], endings: NDArray[np.int64]) -> NDArray[np.int64]:
        """Word numbers of stems (by rank) with endings."""
        return self.first_content + stems * len(ENDINGS) + endings


@cache
def make_vocabulary(seed: int) -> Vocabulary:
    """Make the vocabulary; the same seed makes the same."""
    source = np.random.default_rng((seed, 1))
    stems = _stems(source)
    inflected = [stem + ending for stem in stems for ending in ENDINGS]
    words = np.array([*FUNCTION_WORDS, *inflected, *_tail(source)], dtype=object)
    shares = np.concatenate([_function_shares(), _content_shares(), _tail_shares()])
    first_tail = len(FUNCTION_WORDS) + len(inflected)
    return Vocabulary(words, np.cumsum(shares), len(FUNCTION_WORDS), first_tail)


def draw_endings(source: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Draw endings as often as running text has them."""
    return source.choice(len(ENDINGS), size=count, p=_ENDING_SHARES)


def _stems(source: np.random.Generator) -> list[str]:
    """Invent distinct stems; the frequent ones are short, as in any language."""
    found: dict[str, None] = {}
    while len(found) < STEMS:
        most = 2 + min(2, len(found) // 6000)
        word = "".join(_syllable(source) for _ in range(int(source.integers(1 + (len(found) > 300), most + 1))))
        word += _CODAS[int(source.integers(len(_CODAS)))]
        if 3 <= len(word) <= 11 and word not in FUNCTION_WORDS:
            found[word] = None
    return list(found)


def _syllable(source: np.random.Generator) -> str:
    return _ONSETS[int(source.integers(len(_ONSETS)))] + _VOWELS[int(source.integers(len(_VOWELS)))]


def _tail(source: np.random.Generator) -> list[str]:
    """Codes, amounts, percentages, plain numbers, names met once."""
    numbers = source.integers(1, 10_000_000, TAIL).tolist()
    letters = source.integers(0, 26, (TAIL, 4)).tolist()
    return [_code(place, number, four) for place, (number, four) in enumerate(zip(numbers, letters, strict=True))]


def _code(place: int, number: int, letters: list[int]) -> str:
    name = "".join(chr(65 + letter) for letter in letters)
    forms = (
        f"{number:,}", f"{name}-{number % 1000}", f"${number / 100:,.2f}", f"{number % 10000 / 100}%",
        f"{1950 + number % 80}", f"{name.lower()}{number}", name, f"{number % 1000}",
    )  # fmt: skip
    return forms[place % len(forms)]


def _function_shares() -> NDArray[np.float64]:
    return _scaled(1.0 / (np.arange(len(FUNCTION_WORDS)) + 2.0) ** 0.9, _FUNCTION_SHARE)


def _content_shares() -> NDArray[np.float64]:
    by_stem = 1.0 / (np.arange(STEMS) + 20.0) ** 1.4
    return _scaled(np.outer(by_stem, _ENDING_SHARES).ravel(), 1.0 - _FUNCTION_SHARE - _TAIL_SHARE)


def _tail_shares() -> NDArray[np.float64]:
    return _scaled(1.0 / (np.arange(TAIL) + 20.0), _TAIL_SHARE)


def _scaled(weights: NDArray[np.floating[Any]], share: float) -> NDArray[np.float64]:
    return np.asarray(weights * (share / weights.sum()), dtype=np.float64)
