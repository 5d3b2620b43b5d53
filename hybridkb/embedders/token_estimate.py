"""How many tokens a service will count in a text, without its tokenizer: an estimate that errs high."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from hybridkb.embedders.windows import Span, split_windows

UNITS_PER_TOKEN = 6

_LETTER_UNITS = 2
_DIGIT_UNITS = 6
_ALPHABET_UNITS = 6
_OTHER_UNITS = 12
_LAST_ALPHABET = 0x07FF


def estimate_tokens(text: str) -> int:
    """Return about how many tokens the text has, rounded up; more than byte-pair tokenizers count in ordinary text.

    ASCII letters and white space count a third of a token each, digits, punctuation and other alphabets' letters one,
    everything else (CJK, emoji) two.
    """
    return -(-sum(_units(text)) // UNITS_PER_TOKEN)


def split_text(text: str, max_tokens: int) -> list[str]:
    """Return the text whole, or cut into overlapping windows of at most `max_tokens` estimated tokens.

    Windows begin and end at white space where there is some; together they hold the whole text.
    """
    if len(text) * _OTHER_UNITS <= max_tokens * UNITS_PER_TOKEN or estimate_tokens(text) <= max_tokens:
        return [text]
    return [text[start:end] for start, end in _character_spans(text, max_tokens * UNITS_PER_TOKEN)]


def _character_spans(text: str, size: int) -> list[Span]:
    """Split by units, on the axis where a character is as long as its cost, and come back to characters.

    A character that an end parts is left to the next window, one that a beginning parts is taken whole; the room for
    it is kept free.
    """
    ends = list(accumulate(_units(text)))
    starts = [0, *ends[:-1]]
    words = [starts[place] for place in range(1, len(text)) if text[place - 1].isspace()]
    spans = split_windows(ends[-1], size - _OTHER_UNITS, words, overlap=size // 8, slack=size // 8)
    return [(bisect_right(ends, start), bisect_right(ends, end)) for start, end in spans]


def _units(text: str) -> list[int]:
    return [_character_units(character) for character in text]


def _character_units(character: str) -> int:
    if character.isascii():
        return _LETTER_UNITS if character.isalpha() or character.isspace() else _DIGIT_UNITS
    return _ALPHABET_UNITS if ord(character) <= _LAST_ALPHABET else _OTHER_UNITS
