"""Makes the vectors of a collection that has none, with a model in a package, and keeps them in a folder.

It may be interrupted and goes on where it was. Texts are embedded whole, as hybridkb does: in windows whose vectors are
averaged.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from beir import Vectors, parts, read_documents, read_queries
from numpy.typing import NDArray

from hybridkb.embedders import Embedder, LocalEmbedder, embed_checked, embed_query_checked
from hybridkb.records import join_text

_STEP = 256


def make_vectors(folder: Path, cache: Path, embedder: Embedder | None = None) -> Vectors:
    """Embed the documents and queries of a collection, or read what was embedded before; the local model by default."""
    embedder = embedder or LocalEmbedder()
    place = cache / f"{folder.name}-{embedder.space.model}"
    place.mkdir(parents=True, exist_ok=True)
    every = [part for document in read_documents(folder) for part in parts(document, windows=False)]
    names = [part.name for part in every]
    texts = [join_text(part.document.title, part.text) for part in every]
    queries = read_queries(folder)
    return Vectors(
        model=embedder.space.model,
        documents=dict(zip(names, _documents(embedder, texts, place), strict=True)),
        queries=dict(zip(queries, _queries(embedder, list(queries.values()), place), strict=True)),
        by_window=False,
    )


def _documents(embedder: Embedder, texts: Sequence[str], place: Path) -> NDArray[np.float16]:
    blocks = []
    for first in range(0, len(texts), _STEP):
        file = place / f"docs-{first:07}.npy"
        if not file.exists():
            _save(file, [_usable(one) for one in embed_checked(embedder, list(texts[first : first + _STEP]))])
        blocks.append(np.load(file))
        print(f"{place.name}: {min(first + _STEP, len(texts)):,} of {len(texts):,} documents", file=sys.stderr)
    return np.concatenate(blocks)


def _queries(embedder: Embedder, texts: Sequence[str], place: Path) -> NDArray[np.float16]:
    file = place / "queries.npy"
    if not file.exists():
        _save(file, [embed_query_checked(embedder, text).astype(np.float16) for text in texts])
    found: NDArray[np.float16] = np.load(file)
    return found


def _usable(vector: NDArray[np.float16] | str) -> NDArray[np.float16]:
    if isinstance(vector, str):
        raise ValueError(f"a document cannot be embedded: {vector}")
    return vector


def _save(file: Path, vectors: Sequence[NDArray[np.float16]]) -> None:
    """Write under another name first: what was killed half-way is not there."""
    partial = file.with_suffix(".partial.npy")
    np.save(partial, np.array(vectors, np.float16))
    partial.rename(file)
