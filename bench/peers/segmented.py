"""bm25s over words that a dictionary finds: jieba for Chinese, Janome for Japanese. Runs in an environment of its own.

Words in Latin letters are stemmed by Snowball, in a German text as German, in all others as English; English and German
texts are cut as bm25s cuts them, without its stop words.

``python -m peers.segmented FOLDER OUT`` reads ``documents.jsonl`` and ``queries.jsonl`` of the folder and writes, for
each query, the names of the best documents. The language of a text is told, not guessed. jieba's search mode adds the
parts of long words, as its makers advise for search engines.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import bm25s
import jieba
import Stemmer
from janome.tokenizer import Tokenizer

DEPTH = 100
DISTRIBUTIONS = ("bm25s", "jieba", "janome", "PyStemmer")


def main(arguments: Sequence[str]) -> int:
    """Index, ask, write."""
    folder, out = map(Path, arguments)
    jieba.setLogLevel(logging.ERROR)
    words = _Words()
    documents, queries = (_read(folder / f"{name}.jsonl") for name in ("documents", "queries"))
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index([words.of(one["text"], one["language"]) for one in documents], show_progress=False)
    found = {}
    for query in queries:
        sought = [word for word in words.of(query["text"], query["language"]) if word in index.vocab_dict]
        scores = index.get_scores(sought) if sought else [0.0] * len(documents)
        ranked = sorted((-float(score), one["_id"]) for score, one in zip(scores, documents, strict=True) if score > 0)
        found[query["_id"]] = [name for _, name in ranked[:DEPTH]]
    made_of = {name: version(name) for name in DISTRIBUTIONS}
    out.write_text(json.dumps({"rankings": found, "versions": made_of}), encoding="utf-8")
    return 0


class _Words:
    """The words of a text in a language that is told."""

    def __init__(self) -> None:
        self._japanese = Tokenizer()
        self._stemmers = {"en": Stemmer.Stemmer("english"), "de": Stemmer.Stemmer("german")}

    def of(self, text: str, language: str) -> list[str]:
        """In order, in lower case."""
        if language in self._stemmers:
            cut = bm25s.tokenize(
                [text], stopwords=language, stemmer=self._stemmers[language], show_progress=False, return_ids=False
            )
            return list(cut[0])
        found = jieba.cut_for_search(text) if language == "zh" else self._japanese.tokenize(text, wakati=True)
        words = [word.lower() for word in found if any(map(str.isalnum, word))]
        return [self._stemmers["en"].stemWord(word) if word.isascii() else word for word in words]


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
