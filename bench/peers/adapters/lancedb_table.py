"""LanceDB: one table with its own full-text index, an exact vector scan, indexes on what is filtered, its own RRF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree, LabelList
from lancedb.rerankers import RRFReranker

from peers.shape import DEPTH, RRF_K, Document, Filter, Hit, Mode, Peer, Vector, Vectors, batches

_BATCH = 10_000


class Adapted(Peer):
    """A hybrid query asks for 100 rows and is cut, since its limit is also the depth of both legs."""

    distributions = ("lancedb", "pylance", "pyarrow")
    note = "exact vector scan (no vector index); as typed: search(query_type='fts')"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        database = lancedb.connect(self.folder)
        made = None
        for where, batch in batches(documents, _BATCH):
            rows = self._rows(batch, vectors[where])
            if made is None:
                made = database.create_table("documents", rows)
            else:
                made.add(rows)
        assert made is not None
        made.create_index("text", config=FTS(language="English", stem=True, remove_stop_words=True))
        made.create_index("available_at", config=BTree())
        made.create_index("tags", config=LabelList())
        self.open()

    def open(self) -> None:
        self._table = lancedb.connect(self.folder).open_table("documents")
        self._fusion = RRFReranker(K=RRF_K)

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self._table.add(self._rows(documents, vectors))
        self._table.optimize()

    def _rows(self, documents: Sequence[Document], vectors: Vectors) -> Any:
        return pa.table(
            {
                "name": [one.name for one in documents],
                "text": [one.text for one in documents],
                "available_at": pa.array([one.available_at for one in documents], pa.int64()),
                "tags": pa.array([list(one.tags) for one in documents], pa.list_(pa.string())),
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), self.dimensions),
            }
        )

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        if mode == "lexical":
            return self._ask(self._table.search(text, query_type="fts"), k, k, narrow, "_score")
        if mode == "semantic" or not text.strip():  # its hybrid query refuses a blank text
            query = self._table.search(vector, query_type="vector").distance_type("cosine")
            found = self._ask(query, k, k, narrow, "_distance")
            return [Hit(name, 1.0 - distance, stored) for name, distance, stored in found]
        query = self._table.search(query_type="hybrid").vector(vector).text(text).distance_type("cosine")
        return self._ask(query.rerank(self._fusion), k, max(k, DEPTH), narrow, "_relevance_score")

    def search_as_typed(self, text: str, k: int) -> list[Hit]:
        return self._ask(self._table.search(text, query_type="fts"), k, k, None, "_score")

    def _ask(self, query: Any, k: int, depth: int, narrow: Filter | None, score: str) -> list[Hit]:
        if narrow is not None:
            query = query.where(_condition(narrow), prefilter=True)
        if score != "_relevance_score":
            query = query.select(["name", "text", score])
        rows = query.limit(depth).to_arrow().slice(0, k).select(["name", score, "text"]).to_pylist()
        return [Hit(row["name"], row[score], row["text"]) for row in rows]


def _condition(narrow: Filter) -> str:
    conditions = []
    if narrow.tag is not None:
        conditions.append("array_has_any(tags, ['" + narrow.tag.replace("'", "''") + "'])")
    if narrow.before is not None:
        conditions.append(f"available_at <= {narrow.before}")
    return " AND ".join(conditions)
