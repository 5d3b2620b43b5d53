"""Writes what the peers are given: documents, queries and their vectors, as files that need no library to read.

A folder has ``documents.jsonl``, ``vectors.npy``, ``queries.json`` (texts, the same with function words, facts) and
``query-vectors.npy``. Facts of a generated corpus: which documents carry each tag, and an instant in the middle.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from beir import Vectors, parts, read_documents, read_judgements, read_queries
from corpus import TAGS, Corpus
from indexing import day_of
from numpy.typing import NDArray

from peers.shape import Document


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged collection as it was written: which query stands where, and what is right."""

    documents: int
    queries: list[str]
    judgements: dict[str, dict[str, int]]
    vectors: str
    by_window: bool


def write_collection(source: Path, judgements: str, vectors: Vectors, target: Path) -> Judged:
    """Write a collection in the shape of BEIR; documents without text are left out, as they have no vector."""
    judged, texts = read_judgements(source, judgements), read_queries(source)
    every = [part for one in read_documents(source) for part in parts(one, windows=vectors.by_window)]
    documents = [Document(part.name, part.document.title, part.text, day_of(part.document) or 0) for part in every]
    names = list(judged)
    _write_documents(target, documents, [np.array([vectors.documents[part.name] for part in every])])
    rows = np.array([vectors.queries[name] for name in names])
    _write_queries(target, [texts[name] for name in names], [texts[name] for name in names], rows, {})
    return Judged(len(documents), names, judged, vectors.model, vectors.by_window)


def write_generated(size: int, queries: int, target: Path) -> None:
    """Write a generated corpus, block by block."""
    corpus = Corpus(size)
    tags: dict[str, list[str]] = {tag: [] for tag in TAGS}
    _write_documents(target, _generated(corpus, tags), (block.vectors for block in corpus.blocks()))
    asked = corpus.queries(queries)
    rows = np.array([query.vector for query in asked])
    facts = {"tags": tags, "cutoff": corpus.cutoff(0.5)}
    _write_queries(target, [one.content for one in asked], [one.natural for one in asked], rows, facts)


def _generated(corpus: Corpus, tags: dict[str, list[str]]) -> Iterator[Document]:
    for block in corpus.blocks():
        for one in block.passages:
            for tag in one.tags:
                tags[tag].append(str(one.number))
            yield Document(str(one.number), one.title, one.body, one.available_at, one.tags)


def _write_documents(
    target: Path, documents: Iterable[Document], vectors: Iterable[NDArray[np.float16]]
) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with (target / "documents.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(asdict(document)) + "\n" for document in documents)
    np.save(target / "vectors.npy", np.concatenate(list(vectors)))


def _write_queries(
    target: Path, texts: Sequence[str], natural: Sequence[str], vectors: NDArray[np.float16], facts: dict[str, Any]
) -> None:
    np.save(target / "query-vectors.npy", vectors)
    fields = {"texts": list(texts), "natural": list(natural), "facts": facts}
    (target / "queries.json").write_text(json.dumps(fields), encoding="utf-8")
