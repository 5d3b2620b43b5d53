"""Makes the file of directions in which the multilingual model tells languages apart, from sentences that say the same.

``python bench/language_directions.py [--out FILE]``: ``bench/cross/parallel.jsonl`` holds the same twelve sentences,
our own, in eight languages. What the mean vectors of the languages differ by is the language, not what is said;
hybridkb takes it away from every vector (``hybridkb/embedders/neutral.py``). Nothing of the judged questions goes in.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders import neutral
from hybridkb.embedders.multilingual import MultilingualEmbedder

SENTENCES = Path(__file__).parent / "cross" / "parallel.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, embed, write."""
    parser = argparse.ArgumentParser(description="Make the directions that tell languages apart.")
    parser.add_argument("--out", type=Path, default=neutral.FILE, metavar="FILE")
    options = parser.parse_args(arguments)
    np.save(options.out, directions())
    return 0


def directions() -> NDArray[np.float32]:
    """Mean document, mean query, then orthonormal directions: shape (16, 384)."""
    rows = [json.loads(line)["sentences"] for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    embedder = MultilingualEmbedder(neutral=False)
    means, apart = [], []
    for embed in (embedder.embed_documents, embedder.embed_queries):
        by_language = np.stack([embed(sentences).astype(np.float64).mean(axis=0) for sentences in rows])
        means.append(by_language.mean(axis=0))
        apart.append(by_language - means[-1])
    _, _, found = np.linalg.svd(np.concatenate(apart), full_matrices=False)
    kept = 2 * (len(rows) - 1)  # the rows of either half sum to nothing
    return np.stack([*means, *found[:kept]]).astype(np.float32)


if __name__ == "__main__":
    sys.exit(main())
