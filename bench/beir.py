"""Reads collections in the shape of BEIR: ``corpus.jsonl.gz``, ``queries.jsonl``, ``qrels/NAME.tsv``, ``emb-*``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WINDOW_WORDS = 180


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus; ``date`` is ISO, or empty."""

    name: str
    title: str
    text: str
    date: str


@dataclass(frozen=True, slots=True)
class Part:
    """What is indexed: a document, or a window of one."""

    name: str
    document: Document
    text: str


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors made before: by part and by query."""

    model: str
    documents: dict[str, NDArray[np.float16]]
    queries: dict[str, NDArray[np.float16]]
    by_window: bool

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return len(next(iter(self.documents.values())))


def read_documents(folder: Path) -> Iterator[Document]:
    """The corpus of a collection in its own order."""
    return read_corpus(folder / "corpus.jsonl.gz")


def read_corpus(path: Path) -> Iterator[Document]:
    """The documents of a file in its own order."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            date = (fields.get("metadata") or {}).get("date")
            yield Document(fields["_id"], fields.get("title") or "", fields.get("text") or "", date or "")


def read_queries(folder: Path) -> dict[str, str]:
    """Texts of the queries by id."""
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return {fields["_id"]: fields["text"] for fields in map(json.loads, lines)}


def read_judgements(folder: Path, name: str) -> dict[str, dict[str, int]]:
    """Scores by query and document."""
    found: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        found.setdefault(query, {})[document] = int(score)
    return found


def read_vectors(folder: Path) -> Vectors | None:
    """The vectors that lie beside a corpus in ``emb-MODEL``; None when there are none."""
    found = sorted(folder.glob("emb-*/docs.npy"))
    if not found:
        return None
    place = found[0].parent
    document_ids, query_ids = _ids(place)
    return Vectors(
        model=place.name.removeprefix("emb-"),
        documents=dict(zip(document_ids, np.load(place / "docs.npy"), strict=True)),
        queries=dict(zip(query_ids, np.load(place / "queries.npy"), strict=True)),
        by_window=place.name.endswith(f"-w{WINDOW_WORDS}"),
    )


def _ids(place: Path) -> tuple[list[str], list[str]]:
    """Row orders: one file that names both, or a file each."""
    ids: Any = json.loads((place / "ids.json").read_text(encoding="utf-8"))
    if isinstance(ids, dict):
        return ids["docs"], ids["queries"]
    return ids, json.loads((place / "query_ids.json").read_text(encoding="utf-8"))


def parts(document: Document, *, windows: bool) -> Iterator[Part]:
    """The document itself, or its windows of 180 words, window i named ``D#i``; nothing for a blank document."""
    if not windows:
        if document.title.strip() or document.text.strip():
            yield Part(document.name, document, document.text)
        return
    words = document.text.split()
    for number, start in enumerate(range(0, len(words), WINDOW_WORDS)):
        yield Part(f"{document.name}#{number}", document, " ".join(words[start : start + WINDOW_WORDS]))
