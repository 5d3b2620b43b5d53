"""What a query means: its units, what it requires and excludes, and that nothing raises."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkb.text import MAX_CHARACTERS, MAX_UNITS, Analyser, ParsedQuery, Phrase, parse_query

ANALYSER = Analyser()

PIECES = [
    '"', "“", "”", "-", "−", "*", "OR", "or", "AND", "NOT", "NEAR", "(", ")", ":", "x:foo", "copper", "the", "BRK.B",
    "10-K", "C++", "$AAPL", "3.5%", "-5%", "财报", "月", "'", "’", "\0", "\ud800", "\u0301", "🚀", "^", "NEAR/3", "{",
    "}", "+", "\\", "%", ";", "--", "/*", "organiz*", "-pre*", '-"a b"', "ไทย", "\u200d", "\n", "é", "A" * 70,
]  # fmt: skip


def parse(text: str) -> ParsedQuery:
    return parse_query(text, ANALYSER)


def shown(query: ParsedQuery) -> list[str]:
    """Units as ``text: kind word, …``."""
    return [f"{unit.text}: " + ", ".join(f"{g.kind} {g.word}" for g in unit.groups) for unit in query.units]


QUOTES = ["BRK.B rose after the 10-K", "S&P 500 closed at 1,234.50", "we use C++ for $AAPL quotes"]
RUNS = ["本季度用户增长放缓", "原油库存下降", "AAPL财报超预期"]


@pytest.mark.parametrize(
    ("query", "texts", "first"),
    [
        ("BRK.B", QUOTES, 0),
        ("10-K", QUOTES, 0),
        ("S&P 500", QUOTES, 1),
        ("1,234.50", QUOTES, 1),
        ("C++", QUOTES, 2),
        ("$AAPL", QUOTES, 2),
        *((query, QUOTES, None) for query in ("(", "'", '"', "-k", "x:foo", "  ")),
        ("what's the desk's view?", ["the desk's view on copper"], 0),
        ("用户", RUNS, 0),
        ("库存", RUNS, 1),
        ("AAPL财报", RUNS, 2),
        ("用", RUNS, 0),
        ("why did copper become scarce in Chile?", ["Wheat exports rise", "Copper supply gap widens in Chile"], 1),
    ],
)
def test_queries_that_broke_other_systems(query: str, texts: list[str], first: int | None) -> None:
    is_match = parse(query).matcher(ANALYSER)
    found = [sum(map(is_match, ANALYSER.words(text))) for text in texts]
    assert (found.index(max(found)) if any(found) else None) == first
    assert sum(map(bool, found)) == (first is not None)


def test_a_plain_word_is_looked_up_by_stem_and_exactly() -> None:
    (unit,) = parse("Organizations").units
    assert [(g.kind, g.word, g.stem) for g in unit.groups] == [
        ("stem", "organizations", "organiz"),
        ("exact", "organizations", "organiz"),
    ]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("BRK.B", ["BRK.B: whole brk.b, piece brk, piece brkb"]),
        ("10-K", ["10-K: whole 10-k, piece 10, piece 10k"]),
        ("S&P 500", ["S&P: whole s&p, piece sp", "500: stem 500, exact 500"]),
        ("1,234.50", ["1,234.50: whole 1,234.50, piece 1234.50"]),
        ("C++", ["C++: whole c++"]),
        ("$AAPL", ["$AAPL: whole $aapl, piece aapl"]),
        ("Q3", ["Q3: whole q3"]),
        ("long-term", ["long-term: whole long-term, stem long, stem term"]),
        ("eur/usd", ["eur/usd: whole eur/usd, stem eur, stem usd"]),
        ("organiz*", ["organiz*: prefix organiz"]),
        ("10-k*", ["10-k*: prefix 10-k"]),
        ("用户增长", ["用户增长: exact 用户, exact 户增, exact 增长"]),
        ("AAPL财报", ["AAPL: stem aapl, exact aapl", "财报: exact 财报"]),
        ("月", ["月: prefix 月"]),
        ("copper OR gold", ["copper OR gold: stem copper, exact copper, stem gold, exact gold"]),
        ("x:foo", ["x: stem x, exact x", "foo: stem foo, exact foo"]),
        ("-5% growth", ["-5%: whole -5%, piece 5%", "growth: stem growth, exact growth"]),
        ("-0.5%", ["-0.5%: whole -0.5%, piece 0.5%, piece 0.5"]),
        ("-k", ["k: stem k, exact k"]),
        ("a*", ["a: stem a, exact a"]),
        ("**bold**", ["bold: stem bold, exact bold"]),
        ("f(x)", ["f: stem f, exact f", "x: stem x, exact x"]),
        ("copper -gold", ["copper: stem copper, exact copper"]),
        ("-gold -silver", []),
        *((nothing, []) for nothing in ("(", "'", '"', "", "  \n", '""', "-", "*", "\ud800", "\0")),
    ],
)
def test_units_of_a_query(text: str, units: list[str]) -> None:
    assert shown(parse(text)) == units


@pytest.mark.parametrize(
    ("text", "required", "excluded"),
    [
        ('"interest rate"', [[("interest", "rate")]], []),
        ("“interest rate”", [[("interest", "rate")]], []),
        ('„rate“ "cut"', [[("rate",)], [("cut",)]], []),
        ('"red metal" OR copper', [[("red", "metal"), ("copper",)]], []),
        ('copper "unbalanced', [], []),
        ('6" pipe', [], []),
        ("copper -gold", [], [("gold",)]),
        ('copper -"red metal" -10-k', [], [("red", "metal"), ("10-k", "10", "10k")]),
        ("copper (-gold)", [], [("gold",)]),
        ("copper - gold", [], []),
        ("long-term", [], []),
        ("growth -5%", [], []),
        ('growth -"5%"', [], [("5%",)]),
        ("copper -3m", [], [("3m",)]),
        ('"long-term debt"', [[("long-term", "long", "term", "debt"), ("long", "term", "debt")]], []),
        ('"BRK.B rose"', [[("brk.b", "brk", "brkb", "rose")]], []),
        ('"用户增长"', [[("用户", "户增", "增长")]], []),
    ],
)
def test_what_a_query_requires_and_excludes(
    text: str, required: list[list[tuple[str, ...]]], excluded: list[tuple[str, ...]]
) -> None:
    query = parse(text)
    assert [[phrase.words for phrase in alternatives] for alternatives in query.required] == required
    assert [phrase.words for phrase in query.excluded] == excluded


@pytest.mark.parametrize(
    ("word", "year"),
    [
        ("FY2022", "2022"), ("fy22", "2022"), ("FY98", "1998"), ("CY1999", "1999"), ("2Q23", "2023"),
        ("Q32021", "2021"), ("1H2024", "2024"), ("H22024", "2024"), ("Q123", None), ("5Q23", None), ("FY2122", None),
        ("FY", None), ("2022", None), ("FY20222", None), ("XFY22", None),
    ],
)  # fmt: skip
def test_a_period_is_sought_by_its_year_too(word: str, year: str | None) -> None:
    (unit,) = parse(word).units
    lower = word.lower()
    assert [g.word for g in unit.groups if g.word != lower] == ([year] if year else [])
    assert [[g.word for g in way] for way in unit.ways] == [[lower], [year]] if year else [[lower]]
    assert parse(f'"{word}"').required == ((Phrase((lower,)),),)


def test_prefixes_are_excluded_as_prefixes_and_one_character_is_one() -> None:
    assert parse("copper -pre*").excluded == (Phrase(("pre",), prefix=True),)
    assert parse('"月"').required == ((Phrase(("月",), prefix=True),),)


def test_words_in_phrases_are_scored() -> None:
    assert [unit.text for unit in parse('"interest rate" cut').units] == ["interest", "rate", "cut"]


def test_or_needs_two_operands_and_capitals() -> None:
    assert [unit.text for unit in parse("copper or gold").units] == ["copper", "or", "gold"]
    assert [unit.text for unit in parse("OR copper OR -gold").units] == ["OR", "copper", "OR"]
    assert [unit.text for unit in parse("a OR b OR c").units] == ["a OR b OR c"]
    assert [unit.text for unit in parse("gold AND NOT NEAR").units] == ["gold", "AND", "NOT", "NEAR"]


def test_function_words_are_scored_only_alone() -> None:
    query = parse("what's the desk's view?")
    assert [unit.text for unit in query.scored_units] == ["desk", "view"]
    assert [unit.text for unit in parse("what is it").scored_units] == ["what", "is", "it"]


def test_a_ticker_in_capitals_is_no_function_word() -> None:
    assert [unit.text for unit in parse("will IT and ALL rise").scored_units] == ["IT", "ALL", "rise"]
    assert [unit.text for unit in parse("WHAT IS THE OUTLOOK").scored_units] == ["OUTLOOK"]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("what's the desk's view (now)?", "what's the desk's view (now)?"),
        ('"interest rate" -copper organiz* gold OR "red metal"', "interest rate organiz gold red metal"),
        ("a\0b \ud800c", "a b c"),
        ("growth of -5%", "growth of -5%"),
        ("-gold -silver", ""),
    ],
)
def test_meaning_is_the_text_without_operators(text: str, meaning: str) -> None:
    assert parse(text).meaning == meaning


@pytest.mark.parametrize(
    ("query", "word", "matched"),
    [
        ("organization", "organizations", True),
        ("organiz*", "organizers", True),
        ("BRK.B", "brk.b", True),
        ("BRK.B", "b", False),
        ("the desk", "the", False),
        ("copper -gold", "gold", False),
        ("月", "月报", True),
        ("", "anything", False),
    ],
)
def test_matcher_tells_words_that_a_scored_unit_matches(query: str, word: str, matched: bool) -> None:
    assert parse(query).matcher(ANALYSER)(word) is matched


def test_limits_are_kept_and_told() -> None:
    many = parse(" ".join(f"word{number}" for number in range(1000)))
    assert len(many.scored_units) == MAX_UNITS
    assert many.truncated
    assert parse("x " * MAX_CHARACTERS).truncated
    assert not parse("copper -gold").truncated
    run = parse("".join(map(chr, range(0x4E00, 0x5200))))
    assert sum(len(unit.groups) for unit in run.units) <= 256
    assert run.truncated
    assert parse('"' + "a b c d " * 100 + '"').truncated
    assert len(parse("the " * 1000).scored_units) <= MAX_UNITS


def check(text: str) -> None:
    query = parse(text)
    assert query.text == text
    assert all(unit.groups for unit in query.units)
    assert all(alternatives for alternatives in query.required)
    phrases = [*query.excluded, *(phrase for alternatives in query.required for phrase in alternatives)]
    assert all(phrase.words and (len(phrase.words) == 1 or not phrase.prefix) for phrase in phrases)
    assert len(query.scored_units) <= MAX_UNITS
    query.meaning.encode()
    query.matcher(ANALYSER)("word")


@given(st.text(st.characters(), max_size=80))
@settings(max_examples=400, deadline=None)
def test_no_text_raises(text: str) -> None:
    check(text)


def test_no_mixture_of_operators_raises() -> None:
    chance = random.Random(1)
    for _ in range(10_000):
        check(chance.choice(["", " "]).join(chance.choices(PIECES, k=chance.randrange(12))))
