"""Texts that people, files and programs hand to a search, and that broke one somewhere; and documents to ask for them.

No text may raise, whatever it holds. Where a person would expect a certain document in the first place, it is named;
that is asked of the words alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peers.shape import Document, Vector, Vectors

DIMENSIONS = 32


@dataclass(frozen=True, slots=True)
class HostileText:
    """One text, what about it breaks searches, and the document that should come first."""

    text: str
    kind: str
    wants: str | None = None


DOCUMENTS = tuple(
    Document(name, "", body)
    for name, body in {
        "class-b": "BRK.B gained after the insurer reported its float.",
        "annual": "The 10-K names customer concentration as a risk.",
        "quarterly": "The 10-Q was late, and class 10 of the notes was repaid.",
        "index": "S&P 500 futures closed at 5,432.10 in thin trade.",
        "code": "The pricing library is written in C++ and called from Python.",
        "letter-c": "C shares carry no vote; the plan C was dropped.",
        "cashtag": "Retail accounts keep buying $AAPL calls.",
        "fruit": "AAPL is also what a crossword calls fruit without vowels.",
        "desk": "What's the desk's view? Copper stays tight into the second quarter.",
        "chinese": "本季度铜库存下降，用户增长放缓。",
        "mixed": "AAPL财报超预期，盘后上涨。",
        "accents": "Société Générale et Crédit Agricole publient leurs résultats.",
        "boolean": "Not every OR gate is an AND gate, wrote the analyst near midnight.",
        "column": "title:copper is how the archive tags its clippings.",
        "percent": "Margins fell to 3.5% while 100% of the hedges rolled.",
        "isin": "US0378331005 is the ISIN in the confirmation.",
        "wheat": "Wheat exports rose on a weak rouble.",
        "rates": "The committee left rates alone and said little else.",
    }.items()
)

TEXTS = (
    HostileText("BRK.B", "a ticker with a dot", "class-b"),
    HostileText("10-K", "a form with a hyphen", "annual"),
    HostileText("S&P 500", "an ampersand", "index"),
    HostileText("5,432.10", "a number with separators", "index"),
    HostileText("C++", "operators as a name", "code"),
    HostileText("$AAPL", "a dollar sign", "cashtag"),
    HostileText("3.5%", "a percent sign", "percent"),
    HostileText("what's the desk's view?", "apostrophes", "desk"),
    HostileText("what’s the desk’s view?", "typographic apostrophes", "desk"),
    HostileText("库存", "two characters inside a run", "chinese"),
    HostileText("AAPL财报", "two scripts without a space", "mixed"),
    HostileText("societe generale", "accents left out", "accents"),
    HostileText("ＵＳ０３７８３３１００５", "full-width letters", "isin"),
    HostileText("title:copper", "a column filter", "column"),
    HostileText("nocolumn:copper", "a column that there is not"),
    HostileText("AND", "an operator alone"),
    HostileText("OR OR NOT", "operators only"),
    HostileText("NOT wheat", "an operator first"),
    HostileText("copper NEAR/ wheat", "half an operator"),
    HostileText("-wheat", "a minus first"),
    HostileText("+", "a plus alone"),
    HostileText("(", "a bracket that stays open"),
    HostileText("wheat)) OR ((", "brackets the wrong way round"),
    HostileText('"', "a quote that stays open"),
    HostileText('the "desk', "a quote inside"),
    HostileText('say ""', "an empty phrase"),
    HostileText("'", "an apostrophe alone"),
    HostileText("rates' OR '1'='1", "SQL in quotes"),
    HostileText("x'); DROP TABLE documents; --", "SQL that ends a statement"),
    HostileText("*", "a star alone"),
    HostileText("cop*r*", "a star inside"),
    HostileText("?", "a question mark alone"),
    HostileText("wheat^", "a boost without a number"),
    HostileText("wheat~", "a fuzziness without a number"),
    HostileText("[a TO", "half a range"),
    HostileText("{}", "empty braces"),
    HostileText("/wheat(/", "half a pattern"),
    HostileText("wheat\\", "a backslash last"),
    HostileText("%s %d {0}", "format strings"),
    HostileText("../../etc/passwd", "a path"),
    HostileText("<b>wheat</b>&amp;", "markup"),
    HostileText("\x1b[31mwheat", "a terminal sequence"),
    HostileText("", "nothing"),
    HostileText(" \t\n", "blanks"),
    HostileText("\u200b", "a space without width"),
    HostileText("wheat\x00rates", "a NUL inside"),
    HostileText("\x00", "a NUL alone"),
    HostileText("\ud800", "half a surrogate pair"),
    HostileText("\ufeffwheat", "a byte order mark", "wheat"),
    HostileText("📈 wheat", "an emoji", "wheat"),
    HostileText("e\u0301" * 50, "combining marks"),
    HostileText("مرحبا", "right to left"),
    HostileText("🇺🇸👩‍👩‍👧", "joined emoji"),
    HostileText("a" * 100_000, "one word of 100,000 letters"),
    HostileText("wheat " * 20_000, "20,000 words"),
    HostileText(" ".join(f"w{number}" for number in range(5_000)), "5,000 different words"),
    HostileText("(" * 2_000, "2,000 brackets"),
)


def vectors() -> Vectors:
    """A unit vector for each document, all of them different."""
    rows = np.random.default_rng(11).standard_normal((len(DOCUMENTS), DIMENSIONS)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def query_vector() -> Vector:
    """The vector of every hostile text."""
    return np.asarray(np.full(DIMENSIONS, DIMENSIONS**-0.5), np.float32)
