"""Qdrant's local mode: dense vectors, sparse BM25 weights and its IDF modifier, filters in every prefetch, its RRF."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import Stemmer
from qdrant_client import QdrantClient, models

from peers.shape import DEPTH, RRF_K, Document, Filter, Hit, Mode, Peer, Vector, Vectors, batches

_BATCH = 1000
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")
_STOP = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)


class Adapted(Peer):
    """The mean length is baked into the weights at the first upload, as it must be; IDF is Qdrant's own."""

    distributions = ("qdrant-client", "PyStemmer", "numpy")
    note = "local mode is Python and numpy, meant for development; words are cut and weighted by the adapter"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self.open()
        self._client.create_collection(
            "documents",
            vectors_config={"meaning": models.VectorParams(size=self.dimensions, distance=models.Distance.COSINE)},
            sparse_vectors_config={"words": models.SparseVectorParams(modifier=models.Modifier.IDF)},
        )
        lengths = [len(self._tokens(document.text)) for document in documents]
        self._mean = max(1.0, sum(lengths) / max(1, len(lengths)))
        self.add(documents, vectors)

    def open(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._client = QdrantClient(path=str(self.folder))

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        next_id = self._client.count("documents").count + 1
        for where, batch in batches(documents, _BATCH):
            points = [
                models.PointStruct(
                    id=next_id + where.start + place,
                    vector={"meaning": row.tolist(), "words": self._weights(document.text)},
                    payload={"name": document.name, "text": document.text, "tags": list(document.tags),
                             "available_at": document.available_at},
                )
                for place, (document, row) in enumerate(zip(batch, vectors[where], strict=True))
            ]  # fmt: skip
            self._client.upsert("documents", points)

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        allowed, words = _conditions(narrow), self._query(text)
        near: dict[str, Any] = {"query": vector.tolist(), "using": "meaning"}
        if mode == "lexical":
            return self._ask(k, query=words, using="words", query_filter=allowed) if words.indices else []
        if mode == "semantic":
            return self._ask(k, query_filter=allowed, **near)
        depth = max(k, DEPTH)
        legs = [models.Prefetch(limit=depth, filter=allowed, **near)]
        if words.indices:
            legs.append(models.Prefetch(limit=depth, filter=allowed, query=words, using="words"))
        return self._ask(k, prefetch=legs, query=models.RrfQuery(rrf=models.Rrf(k=RRF_K)))

    def close(self) -> None:
        self._client.close()

    def _ask(self, k: int, **wanted: Any) -> list[Hit]:
        points = self._client.query_points("documents", limit=k, with_payload=["name", "text"], **wanted).points
        payloads = [(point.payload or {}, point.score) for point in points]
        return [Hit(payload["name"], score, payload["text"]) for payload, score in payloads]

    def _tokens(self, text: str) -> list[int]:
        words = [word for word in _WORD.findall(text.lower()) if word not in _STOP]
        return [zlib.crc32(stem.encode("utf-8", "replace")) for stem in self._stemmer.stemWords(words)]

    def _weights(self, text: str) -> Any:
        tokens = self._tokens(text)
        length = 1 - _B + _B * len(tokens) / self._mean
        counts = Counter(tokens)
        values = [count * (_K1 + 1) / (count + _K1 * length) for count in counts.values()]
        return models.SparseVector(indices=list(counts), values=values)

    def _query(self, text: str) -> Any:
        tokens = list(dict.fromkeys(self._tokens(text)))
        return models.SparseVector(indices=tokens, values=[1.0] * len(tokens))


def _conditions(narrow: Filter | None) -> Any:
    if narrow is None:
        return None
    must = []
    if narrow.tag is not None:
        must.append(models.FieldCondition(key="tags", match=models.MatchValue(value=narrow.tag)))
    if narrow.before is not None:
        must.append(models.FieldCondition(key="available_at", range=models.Range(lte=narrow.before)))
    return models.Filter(must=must)
