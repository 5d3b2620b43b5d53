"""Uncased BERT WordPiece: a text becomes the piece numbers that all-MiniLM-L6-v2 was trained on.

The rules are those of the `tokenizers` package's BERT pipeline: drop control characters, set CJK characters apart,
remove accents, fold case, split at white space and punctuation, then take the longest known piece from the left.
One difference, on purpose: a literal "[SEP]" in a text is text, never the special token. Another by nature: characters
that Unicode got after version 8 are classed as this Python knows them, and as unknown there.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from hybridkb.errors import EmbedderError

VOCABULARY_FILE = "minilm-vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

_LONGEST_WORD = 100
_MEMO_LIMIT = 100_000
_CONTINUES = "##"
_CJK_RANGES = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_LAST_LATIN = 0x024F


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text cut into pieces, without the special tokens.

    Attributes:
        ids: piece numbers in reading order.
        word_starts: ascending positions in `ids` where a word (white space or CJK border before it) begins.
    """

    ids: list[int]
    word_starts: list[int]


class _Folding(dict[int, str]):
    """`str.translate` table that works out each character once: what it becomes before the text is split.

    A space marks a word border; a form feed, which no text can hold at this point, marks a border inside a word
    (punctuation), so that "brk.b" is cut into three parts and is still one word.
    """

    def __missing__(self, code: int) -> str:
        folded = _fold(chr(code))
        self[code] = folded
        return folded


_INNER_BORDER = "\f"


def _fold(character: str) -> str:
    if character in "\t\n\r" or _is_space(character):
        return " "
    if character in "\0\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    bare = "".join(part for part in unicodedata.normalize("NFD", character) if unicodedata.category(part) != "Mn")
    lower = "".join(_split_off_punctuation(part) for part in bare.lower())
    return f" {lower} " if _is_cjk(ord(character)) else lower


def _is_space(character: str) -> bool:
    return unicodedata.category(character) in ("Zs", "Zl", "Zp")


def _is_cjk(code: int) -> bool:
    return any(first <= code <= last for first, last in _CJK_RANGES)


def _split_off_punctuation(character: str) -> str:
    return f"{_INNER_BORDER}{character}{_INNER_BORDER}" if _is_punctuation(character) else character


def _is_punctuation(character: str) -> bool:
    code = ord(character)
    if code < 128:
        return 33 <= code <= 126 and not character.isalnum()
    return unicodedata.category(character).startswith("P")


class WordPiece:
    """Cuts texts into the pieces of one vocabulary. Safe to share between threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """Take the pieces in the order of their numbers; "[UNK]", "[CLS]" and "[SEP]" must be among them."""
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self.unknown = self._numbers["[UNK]"]
        self.first = self._numbers["[CLS]"]
        self.last = self._numbers["[SEP]"]
        self._unread = frozenset(
            number for piece, number in self._numbers.items() if number == self.unknown or _is_foreign(piece)
        )
        self._folding = _Folding()
        self._memo: dict[str, tuple[int, ...]] = {}

    def cut(self, text: str) -> Pieces:
        """Return the text's pieces; the empty text has none. Nothing is cut off."""
        ids: list[int] = []
        word_starts: list[int] = []
        for word in text.translate(self._folding).split(" "):
            start = len(ids)
            for part in word.split(_INNER_BORDER):
                if part:
                    ids.extend(self._part_ids(part))
            if len(ids) > start:
                word_starts.append(start)
        return Pieces(ids, word_starts)

    def unknown_share(self, ids: Sequence[int]) -> float:
        """Return the share, 0 to 1, of pieces that mean nothing to the model; 0 when there are none.

        Counted are unknown pieces and single letters of scripts other than Latin: the vocabulary lists most of
        their alphabets, so that Russian is never "unknown", but has hardly a word in them.
        """
        return sum(number in self._unread for number in ids) / len(ids) if ids else 0.0

    def _part_ids(self, part: str) -> tuple[int, ...]:
        known = self._memo.get(part)
        if known is None:
            known = self._match(part)
            if len(self._memo) < _MEMO_LIMIT:
                self._memo[part] = known
        return known

    def _match(self, part: str) -> tuple[int, ...]:
        """Longest piece first, from the left; one unknown piece when any rest has no match."""
        if len(part) > _LONGEST_WORD:
            return (self.unknown,)
        ids: list[int] = []
        start = 0
        while start < len(part):
            found = self._longest(part, start)
            if found is None:
                return (self.unknown,)
            number, start = found
            ids.append(number)
        return tuple(ids)

    def _longest(self, part: str, start: int) -> tuple[int, int] | None:
        mark = _CONTINUES if start else ""
        for end in range(len(part), start, -1):
            number = self._numbers.get(mark + part[start:end])
            if number is not None:
                return number, end
        return None


def _is_foreign(piece: str) -> bool:
    letters = [character for character in piece if character.isalpha()]
    return bool(letters) and all(ord(letter) > _LAST_LATIN for letter in letters)


@cache
def minilm_wordpiece() -> WordPiece:
    """Return the tokenizer of all-MiniLM-L6-v2 from the vocabulary in this package.

    Raises:
        EmbedderError: the vocabulary file is missing or is not the one that was shipped.
    """
    return WordPiece(_read_vocabulary())


def _read_vocabulary() -> list[str]:
    try:
        data = resources.files("hybridkb.embedders").joinpath(VOCABULARY_FILE).read_bytes()
    except OSError as error:
        raise EmbedderError(f"{VOCABULARY_FILE} is missing from the package: install hybridkb again") from error
    found = hashlib.sha256(data).hexdigest()
    if found != VOCABULARY_SHA256:
        raise EmbedderError(
            f"{VOCABULARY_FILE} was changed (sha256 {found}, expected {VOCABULARY_SHA256}): install hybridkb again"
        )
    return data.decode("utf-8").splitlines()
