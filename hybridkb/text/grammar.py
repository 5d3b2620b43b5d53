"""The grammar of words: what in a folded text is one word, and which pieces of it are words too.

The grammar reads *shapes* (``characters.shape``): ``brk.b`` has the shape ``aaa.a``. It knows three kinds of items:

* plain: letters and marks (``rose``), or digits (``500``);
* whole: a token that means something as written (``brk.b``, ``10-k``, ``$aapl``, ``+5.2%``, ``c++``, ``q3``);
* run: letters of a script without spaces, which become overlapping pairs.

A whole token is followed by its pieces: without sign, currency and per cent; its parts at ``/``, then at hyphens, then
at dots; and the joined form (``10k``, ``brkb``, ``us``) if it is a code. Pieces have at least two characters, so that
``c++`` is not found in every ``c``. A token too long to keep is an item of the kind *pieces*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hybridkb.text.characters import Folded

Kind = Literal["plain", "whole", "pieces", "run"]

LONGEST_WORD = 64
"""A longer token is not kept whole."""

LONGEST_MEAN_PART = 16
"""A stretch over ``LONGEST_WORD`` whose parts are longer than this on average is encoded data and gives no words."""

SHORTEST_PIECE = 2

LONGEST_CODE = 20
"""A longer token is no code: it has no joined form."""

_ATOM = r"[ad][adm]*(?:(?<=[am])'[a][adm]*|(?<=d)'a(?![adm]))*"
_TOKEN = re.compile(
    rf"""
      (?P<run>c[cm]*)
    | (?:(?<![acdm%])[-+](?=\$?\.?d))?              # a sign, before a number only
      (?:\$(?=[ad]|\.d)|\^(?=a))?                   # currency or cash tag; index caret
      (?:(?<![acdm])\.(?=d))?                       # .5
      {_ATOM}
      (?:(?:[.\-&/_=]|(?<=d)[,:](?=d)|\+(?=d)){_ATOM})*
      (?:(?<=d)%|\+\+?(?![acdm])|(?<=a)(?<![adm]a)\#(?![acdm]))?    # 3.5%, c++, bbb+, c#
    """,
    re.VERBOSE,
)
_STRETCH = re.compile(rf"[adm+/=_\-]{{{LONGEST_WORD + 1},}}")
_PART = re.compile(r"[adm]+")
_RATING = re.compile(r"(?<![\w.&-])(?:a{1,3}|b{1,3}|c{1,3})-(?!\w)")
_CONTRACTION = re.compile(r"(?<=[^\W\d])'(?:s|re|ve|ll|d|m)\Z")
_NUMBER = re.compile(r"\.?\d[\d,]*(?:\.\d+)?\Z|\d+:\d\d(?::\d\d)?\Z")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
_LEVELS = (re.compile(r"/"), re.compile(r"[-&_=+,:]"), re.compile(r"\."))
_JOINING = re.compile(r"[./\-&_=+,:]")


Place = tuple[str, int, int]
"""A word and where it stands."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing as written: its kind, and the words it gives, the token itself first.

    Attributes:
        kind: plain, whole, pieces or run.
        places: the words, each with its start and end.
    """

    kind: Kind
    places: tuple[Place, ...]


def items(folded: Folded, *, elisions: bool = False) -> Iterator[Item]:
    """The items of a folded text in reading order, with places in the text as written.

    Args:
        folded: a folded text.
        elisions: an apostrophe parts words, as in French.
    """
    shape = folded.shape.replace("'", " ") if elisions else folded.shape
    if len(shape) > LONGEST_WORD:
        shape = _STRETCH.sub(_without_data, shape)
    for match in _TOKEN.finditer(shape):
        start, end = match.span()
        item = _run(folded.shape, folded.text, start, end) if match["run"] else _token(folded.text, shape, start, end)
        if item is not None and item.places:
            yield _placed(item, folded)


def _without_data(stretch: re.Match[str]) -> str:
    """Blank out a stretch that is encoded data (base64, a key), not words."""
    parts = _PART.findall(stretch[0])
    return " " * len(stretch[0]) if len(stretch[0]) > LONGEST_MEAN_PART * max(1, len(parts)) else stretch[0]


def _placed(item: Item, folded: Folded) -> Item:
    if folded.starts is None:
        return item
    return Item(item.kind, tuple((word, *folded.span(start, end)) for word, start, end in item.places))


def _run(shape: str, text: str, start: int, end: int) -> Item:
    """Overlapping pairs of characters, each with its marks; a single one stands alone."""
    borders = [at for at, part in enumerate(shape[start:end], start) if part == "c"] + [end]
    reach = 2 if len(borders) > 2 else 1
    pairs = zip(borders, borders[reach:], strict=False)
    places = ((text[first:last], first, last) for first, last in pairs if last - first <= LONGEST_WORD)
    return Item("run", tuple(places))


def _token(text: str, shape: str, start: int, end: int) -> Item | None:
    rating = _RATING.match(text, start)
    if rating is not None and rating.end() == end + 1:
        end += 1
    written = text[start:end]
    contraction = _CONTRACTION.search(written)
    if contraction is not None:
        end = start + contraction.start()
        written = text[start:end]
    word = written.replace("'", "")
    plain = word.isalpha() or not set(shape[start:end]) - set("am'") or not set(shape[start:end]) - {"d"}
    if plain:
        return Item("plain", ((word, start, end),)) if len(word) <= LONGEST_WORD else None
    return _whole(text, start, end)


def _whole(text: str, start: int, end: int) -> Item | None:
    """The token as written and its pieces, each once; without the token if that is too long."""
    kind: Kind = "whole"
    places = list(_forms(text, start, end))
    if end - start > LONGEST_WORD:
        kind = "pieces"
        places = [place for place in places if len(place[0]) <= LONGEST_WORD and not _JOINING.search(place[0])]
    seen: dict[str, Place] = {}
    for place in places:
        if not seen or len(place[0]) >= SHORTEST_PIECE:
            seen.setdefault(place[0], place)
    return Item(kind, tuple(seen.values())) if seen else None


def _forms(text: str, start: int, end: int) -> Iterator[Place]:
    """The token, then the same without its sign, currency or suffix, then the parts of what is left."""
    yield _place(text, start, end)
    if text[start] in "+-":
        start += 1
        yield _place(text, start, end)
    if not text[start].isalnum() and text[start] != ".":
        start += 1
        yield _place(text, start, end)
    bare = start + len(text[start:end].rstrip("%+#-"))
    if bare != end:
        yield _place(text, start, bare)
    yield from _parts(text, start, bare)


def _place(text: str, start: int, end: int) -> Place:
    return text[start:end].replace("'", ""), start, end


def _parts(text: str, start: int, end: int, level: int = 0) -> Iterator[Place]:
    """The parts of a token at its signs, the loosest sign first, and its joined form."""
    core = text[start:end]
    if _NUMBER.match(core):
        if "," in core:
            yield core.replace(",", ""), start, end
        return
    while level < len(_LEVELS) and _LEVELS[level].search(core) is None:
        level += 1
    if level == len(_LEVELS):
        return
    at = start
    for part in _LEVELS[level].split(core):
        yield _place(text, at, at + len(part))
        yield from _parts(text, at, at + len(part), level + 1)
        at += len(part) + 1
    if _is_code(core, _LEVELS[level].split(core), level):
        yield _JOINING.sub("", core).replace("'", ""), start, end


def _is_code(core: str, parts: list[str], level: int) -> bool:
    """Whether the token is also written without its signs: 10-k, brk.b, u.s, covid-19, ISO dates; not 3-5 or and/or."""
    if _ISO_DATE.match(core):
        return True
    if len(core) > LONGEST_CODE or all(_NUMBER.match(part) for part in parts):
        return False
    return any(len(part) == 1 for part in parts) or (level > 0 and any(c.isdigit() for c in core))
