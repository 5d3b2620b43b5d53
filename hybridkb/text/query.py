"""What did the searcher mean? Any text is a query; a little syntax, as on the web, is understood.

* ``"side by side"``: required; straight or curly double quotes. A quote without a partner is a character. Where nothing
  holds it, a query that also has words outside of quotes is answered by all its words.
* ``-word``, ``-"a phrase"``, ``-pre*``: excluded, if the minus follows a space and touches what it excludes. ``-5%``
  and ``-0.5`` are numbers (exclude one with ``-"5%"``), and a query that is nothing but one ``-word`` is that word.
* ``organiz*``: words that start so; the star ends a word of two characters or more.
* ``copper OR "red metal"``: either; upper case, between two operands.

All else is words: ``AND``, ``NOT``, ``NEAR``, ``title:x``. Parentheses are passed over. Only the first
``MAX_CHARACTERS`` are read and ``MAX_UNITS`` scored; ``truncated`` tells when something was left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from hybridkb.text.analyser import Analyser, Reading
from hybridkb.text.periods import year_of_period

MAX_CHARACTERS = 10_000
MAX_UNITS = 64
"""Most units that are scored, most alternatives that are required, most phrases excluded, most words in a phrase."""
MAX_GROUPS = 256
"""Most groups of all units together; also most units, with function words."""

GroupKind = Literal["stem", "exact", "whole", "piece", "prefix"]

_QUOTES = str.maketrans(dict.fromkeys("“”„‟＂", '"'))
_TERM = re.compile(r'(?P<minus>(?<![^\s(])-(?=["\w$^]))?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"()]+))')
_SIGNED_NUMBER = re.compile(r"[$€£¥]?\.?\d[\d.,]*%?[.,;:!?]*\Z")
_PREFIX = re.compile(r"[^*]*\w\*[.,;:!?]*\Z")
_SHORTEST_PREFIX = 2
_JOINING = re.compile(r"[./\-&_=+,:]")
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Group:
    """A set of vocabulary words.

    Attributes:
        kind: how the words are found: by ``stem``, by what they start with (prefix), or by ``word``.
        word: the word, as analysed.
        stem: its stem.
    """

    kind: GroupKind
    word: str
    stem: str


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing the searcher wrote, and the groups that score it.

    Attributes:
        text: as written.
        groups: the groups, in order.
        function: it is a function word, not scored when the query has another.
        ways: the sets of groups any of which, whole, makes a record hold the unit: a code with or without its
            signs, a compound or all of its parts, all pairs of a CJK run, a period or its year, either side of an OR.
    """

    text: str
    groups: tuple[Group, ...]
    function: bool
    ways: tuple[tuple[Group, ...], ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words side by side, as ``Analyser.words`` gives them; a single one is that exact word.

    Attributes:
        words: the words.
        prefix: the single word may go on.
    """

    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query, understood.

    Attributes:
        text: as written.
        units: what is looked for, in order.
        required: of each of these alternatives, one must hold.
        excluded: none of these may hold.
        beside: whether it seeks something beside what is quoted.
        meaning: the text to embed: without operators, quotes and what is excluded.
        truncated: the query was longer than is read.
    """

    text: str
    units: tuple[Unit, ...]
    required: tuple[tuple[Phrase, ...], ...]
    excluded: tuple[Phrase, ...]
    meaning: str
    truncated: bool = False
    beside: bool = False

    @property
    def scored_units(self) -> tuple[Unit, ...]:
        """The units that are not function words, unless all are."""
        scored = tuple(unit for unit in self.units if not unit.function)
        return scored or self.units[:MAX_UNITS]

    def matcher(self, analyser: Analyser) -> Callable[[str], bool]:
        """A test whether a word of a text is matched by a scored unit."""
        groups = [group for unit in self.scored_units for group in unit.groups]
        stems = {group.stem for group in groups if group.kind == "stem"}
        words = {group.word for group in groups if group.kind not in ("stem", "prefix")}
        prefixes = tuple(group.word for group in groups if group.kind == "prefix")
        return lambda word: word in words or analyser.stem(word) in stems or word.startswith(prefixes)


@dataclass(frozen=True, slots=True)
class _Term:
    """A word or phrase between the operators.

    Attributes:
        text: as written, without quotes, minus and star.
        units: what it looks for.
        phrases: what holds when it is required or excluded: one of these.
        operator: the syntax it was written with.
    """

    text: str
    units: tuple[Unit, ...]
    phrases: tuple[Phrase, ...]
    operator: Literal["none", "quotes", "star", "or"]
    excluded: bool

    @property
    def operand(self) -> bool:
        return bool(self.units) and not self.excluded


def parse_query(text: str, analyser: Analyser) -> ParsedQuery:
    """Understand any text as a query; never raises."""
    read = text[:MAX_CHARACTERS].translate(_QUOTES)
    terms = _Reader(analyser, shouting=read.upper() == read).terms(read)
    choices = _choices(terms)
    wanted = [choice for choice in choices if choice[0].operand]
    units = [unit for choice in wanted for unit in _units(choice)]
    quoting = [choice for choice in wanted if any(term.operator == "quotes" for term in choice)]
    required = [_phrases(choice) for choice in quoting]
    excluded = [phrase for term in terms if term.excluded for phrase in term.phrases]
    kept = _within_limits(units)
    return ParsedQuery(
        text=text,
        units=kept,
        required=tuple(required[:MAX_UNITS]),
        excluded=tuple(excluded[:MAX_UNITS]),
        meaning=_meaning(read, terms, wanted),
        truncated=len(text) > len(read) or kept != tuple(units) or max(len(required), len(excluded)) > MAX_UNITS,
        beside=len(quoting) < len(wanted),
    )


class _Reader:
    """Reads the terms of one query.

    Args:
        analyser: the analyser of the library.
        shouting: the query has no lower-case letter, so capitals tell nothing.
    """

    def __init__(self, analyser: Analyser, *, shouting: bool) -> None:
        self._analyser = analyser
        self._shouting = shouting

    def terms(self, text: str) -> list[_Term]:
        matches = list(_TERM.finditer(text))
        return [self._term(match, alone=len(matches) == 1) for match in matches]

    def _term(self, match: re.Match[str], *, alone: bool) -> _Term:
        phrase, word = match["phrase"], match["word"]
        if phrase is not None:
            return self._written(phrase, "quotes", excluded=match["minus"] is not None and not alone)
        if match["minus"] is None:
            return self._word(word, excluded=False)
        if _SIGNED_NUMBER.match(word):
            return self._word("-" + word, excluded=False)
        return self._word(word, excluded=not alone)

    def _word(self, word: str, *, excluded: bool) -> _Term:
        if word == "OR" and not excluded:
            return self._written(word, "or", excluded=False)
        if _PREFIX.match(word):
            term = self._prefix(word, excluded=excluded)
            if term is not None:
                return term
        return self._written(word, "none", excluded=excluded)

    def _prefix(self, word: str, *, excluded: bool) -> _Term | None:
        start = word[: word.rindex("*")]
        readings = list(self._analyser.readings(start))
        if len(readings) != 1 or readings[0].kind not in ("plain", "whole"):
            return None
        first = readings[0].tokens[0].word
        if len(first) < _SHORTEST_PREFIX:
            return None
        group = Group("prefix", first, first)
        unit = Unit(word, (group,), function=False, ways=((group,),))
        return _Term(start, (unit,), (Phrase((first,), prefix=True),), "star", excluded)

    def _written(self, text: str, operator: Literal["none", "quotes", "or"], *, excluded: bool) -> _Term:
        readings = list(self._analyser.readings(text))
        units = tuple(self._unit(text, reading) for reading in readings)
        return _Term(text, units, tuple(_side_by_side(readings)), operator, excluded)

    def _unit(self, text: str, reading: Reading) -> Unit:
        tokens = reading.tokens
        written = text[tokens[0].start : max(token.end for token in tokens)]
        function = reading.kind == "plain" and tokens[0].word in self._analyser.function_words
        groups = tuple(self._groups(reading))
        return Unit(written, groups, function and not self._is_ticker(written), _ways(reading, groups))

    def _is_ticker(self, written: str) -> bool:
        """``IT spending`` and ``ALL earnings`` mean the ticker, not the function word."""
        return len(written) > 1 and written.isupper() and written not in ("AND", "OR") and not self._shouting

    def _groups(self, reading: Reading) -> Iterator[Group]:
        words = [token.word for token in reading.tokens]
        if reading.kind == "plain":
            yield self._group("stem", words[0])
            yield self._group("exact", words[0])
        elif reading.kind == "run":
            kind: GroupKind = "prefix" if _is_single(reading) else "exact"
            yield from (self._group(kind, word) for word in dict.fromkeys(words))
        else:
            # Measured: the parts of a compound do better by stem, those of a code as written.
            part: GroupKind = "stem" if _is_compound(reading) else "piece"
            yield self._group("whole" if reading.kind == "whole" else part, words[0])
            yield from (self._group(part, word) for word in words[1:])
            year = year_of_period(words[0])
            if year is not None:
                yield self._group("stem", year)

    def _group(self, kind: GroupKind, word: str) -> Group:
        return Group(kind, word, self._analyser.stem(word))


def _ways(reading: Reading, groups: tuple[Group, ...]) -> tuple[tuple[Group, ...], ...]:
    """What it takes to hold a reading; the stem of a plain word stands for its spelling too."""
    if reading.kind == "run":
        return (groups,)
    if _is_compound(reading):
        return groups[:1], groups[1:]
    same = {_bare(groups[0].word), year_of_period(groups[0].word)}
    return groups[:1], *((group,) for group in groups[1:] if reading.kind == "whole" and _bare(group.word) in same)


def _bare(word: str) -> str:
    """``BRK.B`` and ``BRKB`` are the same code."""
    return "".join(filter(str.isalnum, word))


def _is_single(reading: Reading) -> bool:
    """Whether a run is one character: it is found at the start of pairs."""
    return reading.kind == "run" and len(reading.tokens) == 1 and len(reading.tokens[0].word) == 1


def _side_by_side(readings: Iterable[Reading]) -> Iterator[Phrase]:
    """The phrase as written, and the same with ``long-term`` as two words."""
    readings = list(readings)
    written = tuple(token.word for reading in readings for token in reading.tokens)[:MAX_UNITS]
    if not written:
        return
    yield Phrase(written, prefix=len(readings) == 1 and _is_single(readings[0]))
    parted = tuple(word for reading in readings for word in _parted(reading))[:MAX_UNITS]
    if parted != written:
        yield Phrase(parted)


def _parted(reading: Reading) -> list[str]:
    words = [token.word for token in reading.tokens]
    return words[1:] if _is_compound(reading) else words


def _is_compound(reading: Reading) -> bool:
    """Whether a whole token is words put together (``long-term``, ``buy/sell``), not a code (``10-k``, ``s&p``)."""
    whole, *parts = (token.word for token in reading.tokens)
    return reading.kind == "whole" and all(map(str.isalpha, parts)) and _JOINING.split(whole) == parts


def _choices(terms: list[_Term]) -> list[list[_Term]]:
    """The terms, those joined by OR together."""
    choices: list[list[_Term]] = []
    for at, term in enumerate(terms):
        if _joins(terms, at):
            continue
        if at > 0 and _joins(terms, at - 1):
            choices[-1].append(term)
        else:
            choices.append([term])
    return choices


def _joins(terms: list[_Term], at: int) -> bool:
    """Whether the term is an OR between two operands."""
    if terms[at].operator != "or" or not 0 < at < len(terms) - 1:
        return False
    return all(terms[side].operand and terms[side].operator != "or" for side in (at - 1, at + 1))


def _units(choice: list[_Term]) -> tuple[Unit, ...]:
    if len(choice) == 1:
        return choice[0].units
    units = [unit for term in choice for unit in term.units]
    groups = dict.fromkeys(group for unit in units for group in unit.groups)
    ways = dict.fromkeys(way for term in choice for way in _term_ways(term))
    text = " OR ".join(term.text for term in choice)
    return (Unit(text, tuple(groups), all(unit.function for unit in units), tuple(ways)),)


def _term_ways(term: _Term) -> Iterator[tuple[Group, ...]]:
    """A side of an OR may be several words (a phrase): the first way of each, together; one word has all its ways."""
    if len(term.units) == 1:
        yield from term.units[0].ways
    else:
        yield tuple(group for unit in term.units for group in unit.ways[0])


def _phrases(choice: list[_Term]) -> tuple[Phrase, ...]:
    return tuple(dict.fromkeys(phrase for term in choice for phrase in term.phrases))


def _within_limits(units: list[Unit]) -> tuple[Unit, ...]:
    """The first units, as many as the limits allow."""
    kept: list[Unit] = []
    scored = groups = 0
    for unit in units:
        scored += not unit.function
        if scored > MAX_UNITS or groups >= MAX_GROUPS:
            break
        kept.append(_cut(unit, MAX_GROUPS - groups))
        groups += len(unit.groups)
    return tuple(kept)


def _cut(unit: Unit, room: int) -> Unit:
    """The unit with its first groups only."""
    if len(unit.groups) <= room:
        return unit
    kept = unit.groups[:room]
    ways = tuple(way for way in (tuple(group for group in way if group in kept) for way in unit.ways) if way)
    return Unit(unit.text, kept, unit.function, ways)


def _meaning(text: str, terms: list[_Term], wanted: list[list[_Term]]) -> str:
    """The text itself if it has no operators, else what is wanted."""
    wanted_terms = [term for choice in wanted for term in choice]
    joined = any(len(choice) > 1 for choice in wanted)
    if joined or any(term.excluded or term.operator in ("quotes", "star") for term in terms):
        text = " ".join(term.text for term in wanted_terms)
    return " ".join(_UNREADABLE.sub(" ", text).split()) if _UNREADABLE.search(text) else text.strip()
