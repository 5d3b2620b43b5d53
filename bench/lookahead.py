"""Do answers about the past change when later documents arrive?

``python bench/lookahead.py [--fomc PATH]``: both engines hold what was available at T, answer with T as the cutoff,
then receive everything later, and answer again. Counted is the share of queries whose best ten differ: in which hits
there are, in their order, or in any score, by one bit. Runs on a generated corpus and, with ``--fomc``, on dated
Federal Reserve documents asked by the titles of speeches before T.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from beir import Document, Vectors, read_documents, read_queries, read_vectors
from corpus import Corpus, Passage
from engines import Answer, Mode
from indexing import Pair, day_of
from measure import facts, store
from numpy.typing import NDArray

from hybridkb.knowledge.times import from_microseconds, parse_day_or_instant, to_microseconds

MODES: tuple[Mode, ...] = ("lexical", "semantic", "hybrid")
TOP_K = 10
GENERATED = 10_000
Answers = dict[tuple[str, Mode], list[Answer]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, store."""
    parser = argparse.ArgumentParser(description="Count answers about the past that later documents change.")
    parser.add_argument("--fomc", metavar="PATH", help="a dated collection in the shape of BEIR, with vectors")
    parser.add_argument("--cutoff", default="2005-01-01", help="T for that collection, a day")
    parser.add_argument("--passages", type=int, default=GENERATED, help="size of the generated corpus")
    options = parser.parse_args(arguments)
    results: dict[str, Any] = {**facts(), "top_k": TOP_K, "corpora": [generated(options.passages)]}
    if options.fomc:
        results["corpora"].append(dated(Path(options.fomc), options.cutoff))
    store("lookahead", results)
    for corpus in results["corpora"]:
        print(corpus["name"], corpus["changed"], file=sys.stderr)
    return 0


def generated(size: int, queries: int = 60) -> dict[str, Any]:
    """A generated corpus, T in the middle of its years."""
    corpus = Corpus(size)
    asked = corpus.queries(queries)
    documents: list[Document] = []
    vectors: dict[str, NDArray[np.float16]] = {}
    for block in corpus.blocks():
        documents += [_document(passage) for passage in block.passages]
        vectors |= {str(passage.number): row for passage, row in zip(block.passages, block.vectors, strict=True)}
    texts = {f"q{place}": query.content for place, query in enumerate(asked)}
    given = Vectors("generated", vectors, {f"q{place}": query.vector for place, query in enumerate(asked)}, False)
    return _compare("generated", documents, texts, given, corpus.cutoff(0.5))


def dated(folder: Path, day: str, queries: int = 60) -> dict[str, Any]:
    """A dated collection, asked by queries that are older than T, evenly chosen."""
    cutoff = to_microseconds(parse_day_or_instant(day, meaning="cutoff"))
    documents = list(read_documents(folder))
    vectors = read_vectors(folder)
    assert vectors is not None, "the collection has no vectors beside it"
    known = {document.name for document in documents if (day_of(document) or cutoff) < cutoff}
    old = {name: text for name, text in read_queries(folder).items() if name.removeprefix("q-") in known}
    chosen = [list(old)[place] for place in np.linspace(0, len(old) - 1, min(queries, len(old))).astype(int)]
    return _compare(folder.name, documents, {name: old[name] for name in chosen}, vectors, cutoff)


def _document(passage: Passage) -> Document:
    day = from_microseconds(passage.available_at).date().isoformat()
    return Document(str(passage.number), passage.title, passage.body, day)


def _compare(
    name: str, documents: Sequence[Document], queries: dict[str, str], vectors: Vectors, cutoff: int
) -> dict[str, Any]:
    late = [document for document in documents if (day_of(document) or 0) > cutoff]
    early = [document for document in documents if (day_of(document) or 0) <= cutoff]
    with tempfile.TemporaryDirectory(prefix="hybridkb-lookahead-") as place, Pair(Path(place), vectors) as pair:
        pair.add(early)
        first, before = pair.size, _answers(pair, queries, cutoff)
        pair.add(late)
        after = _answers(pair, queries, cutoff)
        return {
            "name": name,
            "cutoff": from_microseconds(cutoff).isoformat(),
            "queries": len(queries),
            "passages_at_cutoff": first,
            "passages_later": pair.size - first,
            "changed": {
                engine: {mode: _changed(before[engine, mode], after[engine, mode]) for mode in MODES}
                for engine in ("hybridkb", "textbook")
            },
        }


def _answers(pair: Pair, queries: dict[str, str], cutoff: int) -> Answers:
    engines: dict[str, Callable[..., Answer]] = {"hybridkb": pair.answer_ours, "textbook": pair.answer_textbook}
    return {
        (engine, mode): [ask(text, name, mode, top_k=TOP_K, before=cutoff) for name, text in queries.items()]
        for engine, ask in engines.items()
        for mode in MODES
    }


def _changed(before: list[Answer], after: list[Answer]) -> dict[str, float]:
    pairs = list(zip(before, after, strict=True))
    return {
        "hits": _share([{name for name, _ in old} != {name for name, _ in new} for old, new in pairs]),
        "order": _share([[name for name, _ in old] != [name for name, _ in new] for old, new in pairs]),
        "scores": _share([old != new for old, new in pairs]),
    }


def _share(differ: list[bool]) -> float:
    return round(sum(differ) / max(1, len(differ)), 4)


if __name__ == "__main__":
    sys.exit(main())
