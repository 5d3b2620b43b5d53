"""bm25s (Lucene's BM25, English stop words, Snowball) for words, exact numpy cosine for vectors, fused here."""

from __future__ import annotations

import json
from collections.abc import Sequence

import bm25s
import numpy as np
import Stemmer

from peers.dense import DenseVectors
from peers.shape import DEPTH, Document, Filter, Hit, Mode, Peer, Vector, Vectors, fuse


class Adapted(Peer):
    """Everything in memory; files are only read at the start."""

    distributions = ("bm25s", "PyStemmer", "numpy", "numba")
    note = "everything in memory; no way to add: later documents mean a new index of all"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self._texts = {document.name: document.text for document in documents}
        self._index(DenseVectors.of(documents, vectors))

    def open(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._texts = json.loads((self.folder / "texts.json").read_text(encoding="utf-8"))
        self._dense = DenseVectors.load(self.folder)
        self._words = bm25s.BM25.load(str(self.folder / "words"))

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self._texts |= {document.name: document.text for document in documents}
        self._index(self._dense.joined(DenseVectors.of(documents, vectors)))

    def _index(self, dense: DenseVectors) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._dense = dense
        self._words = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._words.index(self._tokens(list(self._texts.values()), ids=True), show_progress=False)
        self._words.save(str(self.folder / "words"))
        dense.save(self.folder)
        (self.folder / "texts.json").write_text(json.dumps(self._texts), encoding="utf-8")

    def _tokens(self, texts: Sequence[str], *, ids: bool) -> object:
        return bm25s.tokenize(
            list(texts), stopwords="en", stemmer=self._stemmer, show_progress=False, return_ids=ids
        )

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        if mode == "lexical":
            ranked = self._lexical(text, k, narrow)
        elif mode == "semantic":
            ranked = self._dense.nearest(vector, k, narrow)
        else:
            depth = max(k, DEPTH)
            legs = self._lexical(text, depth, narrow), self._dense.nearest(vector, depth, narrow)
            ranked = fuse(*([name for name, _ in leg] for leg in legs))[:k]
        return [Hit(name, score, self._texts[name]) for name, score in ranked]

    def _lexical(self, text: str, k: int, narrow: Filter | None) -> list[tuple[str, float]]:
        tokens = self._tokens([text], ids=False)
        if not tokens[0]:  # type: ignore[index]
            return []
        mask = None if narrow is None else self._dense.allowed(narrow).astype(np.float32)
        k = min(k, len(self._texts))
        rows, scores = self._words.retrieve(tokens, k=k, show_progress=False, weight_mask=mask)
        found = [
            (self._dense.names[row], float(score)) for row, score in zip(rows[0], scores[0], strict=True) if score > 0
        ]
        return sorted(found, key=lambda one: (-one[1], one[0]))
