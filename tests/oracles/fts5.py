"""FTS5's own ``bm25()`` over terms that somebody else has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw


def fts5_scores(documents: Mapping[str, Sequence[str]], query: Sequence[str]) -> dict[str, float]:
    """Score with FTS5 (k1 1.2, b 0.75, one column); higher is better, unlike FTS5's sign.

    Terms are numbered first, so that FTS5 sees plain words and splits none of them.
    """
    numbers: dict[str, str] = {}

    def word(term: str) -> str:
        return numbers.setdefault(term, f"t{len(numbers)}")

    connection = apsw.Connection(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(terms, tokenize='ascii')")
        names = list(documents)
        for row, name in enumerate(names, start=1):
            text = " ".join(word(term) for term in documents[name])
            connection.execute("INSERT INTO words(rowid, terms) VALUES (?, ?)", (row, text))
        distinct = [word(term) for term in dict.fromkeys(query)]
        if not distinct:
            return {}
        match = " OR ".join(f'"{term}"' for term in distinct)
        rows = connection.execute("SELECT rowid, bm25(words) FROM words WHERE words MATCH ?", (match,))
        return {names[row - 1]: -score for row, score in rows}
    finally:
        connection.close()
