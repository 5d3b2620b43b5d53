"""Chroma's persistent client: its HNSW index and its metadata filters.

Locally it has no ranked search of words and no fusion (its search API raises NotImplementedError): only meaning is
asked. Text as typed goes to its substring filter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import chromadb
from chromadb.config import Settings

from peers.shape import Document, Filter, Hit, Mode, Peer, Vector, Vectors, batches

_BATCH = 5000


class Adapted(Peer):
    """One collection with cosine distance."""

    distributions = ("chromadb",)
    modes = ("semantic",)
    note = "no ranked words and no fusion in the local client; approximate vectors; as typed: a substring filter"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        space: Any = {"hnsw": {"space": "cosine"}}
        client = self._client()
        self._collection = client.create_collection("documents", configuration=space, embedding_function=None)
        self.add(documents, vectors)

    def open(self) -> None:
        self._collection = self._client().get_collection("documents", embedding_function=None)

    def _client(self) -> Any:
        return chromadb.PersistentClient(str(self.folder), settings=Settings(anonymized_telemetry=False))

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        for where, batch in batches(documents, _BATCH):
            self._collection.add(
                ids=[document.name for document in batch],
                documents=[document.text for document in batch],
                embeddings=vectors[where],
                metadatas=[_metadata(document) for document in batch],
            )

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "semantic"
    ) -> list[Hit]:
        wanted = {} if narrow is None else {"where": _condition(narrow)}
        found = self._collection.query(
            query_embeddings=[vector], n_results=k, include=["documents", "distances"], **wanted
        )
        rows = zip(found["ids"][0], found["distances"][0], found["documents"][0], strict=True)
        return [Hit(name, 1.0 - distance, stored) for name, distance, stored in rows]

    def search_as_typed(self, text: str, k: int) -> list[Hit]:
        found = self._collection.get(where_document={"$contains": text}, limit=k, include=["documents"])
        return [Hit(name, 0.0, stored) for name, stored in zip(found["ids"], found["documents"], strict=True)]


def _metadata(document: Document) -> Mapping[str, Any]:
    known: dict[str, Any] = {"available_at": document.available_at}
    return known | {"tags": list(document.tags)} if document.tags else known


def _condition(narrow: Filter) -> dict[str, Any]:
    conditions: list[dict[str, Any]] = []
    if narrow.tag is not None:
        conditions.append({"tags": {"$contains": narrow.tag}})
    if narrow.before is not None:
        conditions.append({"available_at": {"$lte": narrow.before}})
    return conditions[0] if len(conditions) == 1 else {"$and": conditions}
