"""Text to chunks of so many words, neighbours sharing some: the same text always gives the same chunks.

A chunk is a slice of the text as it was written, from the first character of its first word to the last of its last.
A word is a run of characters without white space. In scripts written without spaces (Chinese, Japanese, Thai ...) each
letter with its marks is one, and of a run longer than :data:`LONGEST_WORD` every so many characters are one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hybridkb.errors import InvalidInput

WORDS_PER_CHUNK = 900
OVERLAP = 150

LONGEST_WORD = 256
"""Characters after which a run without white space is cut: an address or encoded bytes may go on for pages."""

_UNSPACED = (
    (0x0E00, 0x0F00), (0x0F00, 0x1000), (0x1000, 0x10A0), (0x1780, 0x1800), (0x1950, 0x19E0), (0x1A20, 0x1AB0),
    (0x1B00, 0x1B80), (0x2E80, 0x2FE0), (0x3005, 0x3008), (0x3021, 0x3030), (0x3031, 0x3036), (0x3038, 0x303D),
    (0x3041, 0x3100), (0x3105, 0x3130), (0x31A0, 0x3200), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xA980, 0xAA00),
    (0xAA60, 0xAA80), (0xF900, 0xFB00), (0xFF66, 0xFFA0), (0x1B000, 0x1B170), (0x20000, 0x323B0),
)  # fmt: skip
"""Thai, Lao, Tibetan, Burmese, Khmer, Tai Le, Tai Tham, Balinese, Han, kana, bopomofo, Javanese."""

_IDEOGRAPHS = 0x2E80
"""From here on the ranges above hold no marks worth looking for one by one, but for the voicing marks of kana."""

_FOLLOWING = "\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\u200d\U000e0100-\U000e01ef"
"""Marks that belong to the letter before them: kana voicing, variation selectors, the joiner."""

_PUNCTUATION = "、。〃〉》」』】〕〗〙〛〞〟！），．：；？］｝～｡｣､…"
"""Punctuation that ends what stands before it."""


def _class(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(end - 1))}" for first, end in ranges)


def _marks() -> str:
    """Marks of the scripts without spaces; a chunk never begins with one."""
    codes = (code for first, end in _UNSPACED if first < _IDEOGRAPHS for code in range(first, end))
    return "".join(re.escape(chr(code)) for code in codes if unicodedata.category(chr(code)).startswith("M"))


_LETTER = _class(_UNSPACED)
_WORD = re.compile(
    rf"[{_LETTER}][{_marks()}{_FOLLOWING}]*[{_PUNCTUATION}]*|[^\s{_LETTER}]{{1,{LONGEST_WORD}}}", re.UNICODE
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a text: ``text[start:end]``, counted in characters."""

    number: int
    start: int
    end: int


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where each word of a text begins and ends, in reading order."""
    return [found.span() for found in _WORD.finditer(text)]


def count_chunks(words: int, words_per_chunk: int = WORDS_PER_CHUNK, overlap: int = OVERLAP) -> int:
    """How many chunks so many words give."""
    if words <= words_per_chunk:
        return min(words, 1)
    step = words_per_chunk - overlap
    return 1 + -(-(words - words_per_chunk) // step)


def split_chunks(text: str, words_per_chunk: int = WORDS_PER_CHUNK, overlap: int = OVERLAP) -> Iterator[Chunk]:
    """Cut a text into chunks: chunk ``i`` begins with word ``i * (words_per_chunk - overlap)``.

    Every word is in a chunk, and the last chunk is the first that reaches the last word. A text without words has none.

    Raises:
        InvalidInput: see :func:`check_sizes`.
    """
    check_sizes(words_per_chunk, overlap)
    words = word_spans(text)
    for number in range(count_chunks(len(words), words_per_chunk, overlap)):
        first = number * (words_per_chunk - overlap)
        last = min(first + words_per_chunk, len(words)) - 1
        yield Chunk(number, words[first][0], words[last][1])


def check_sizes(words_per_chunk: int, overlap: int) -> None:
    """Refuse sizes that make no chunks.

    Raises:
        InvalidInput: not whole numbers, no words in a chunk, or an overlap that leaves nothing new in the next one.
    """
    for name, value in (("words_per_chunk", words_per_chunk), ("overlap", overlap)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidInput(f"{name} is a whole number of words, not {value!r}", field=name)
    if words_per_chunk < 1:
        raise InvalidInput(f"words_per_chunk is 1 or more, not {words_per_chunk}", field="words_per_chunk")
    if not 0 <= overlap < words_per_chunk:
        raise InvalidInput(
            f"overlap is 0 or more and less than words_per_chunk ({words_per_chunk}), not {overlap}; else no chunk "
            "would ever come to the end",
            field="overlap",
        )
