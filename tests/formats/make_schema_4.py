"""Makes ``schema-4.db``: the library of ``schema-3.db`` in the fourth format, which adds papers; it holds one.

Two chunk sets and two summaries of it stand there, the second of each current, and its first picture.

    python tests/formats/make_schema_4.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from make_schema_1 import CLOCK, make
from make_schema_3 import add_evaluation

from hybridkb import HybridLibrary
from oracles.items import day
from support.fake_embedder import HashEmbedder
from support.papers import PAGES, make_result

TARGET = Path(__file__).with_name("schema-4.db")


def add_paper(path: Path) -> None:
    """Give the library a paper."""
    with HybridLibrary.open(path, embedder=HashEmbedder(8), clock=lambda: CLOCK) as library:
        for size in (1, 2):
            library.put_paper(
                make_result(
                    "1706.03762v7",
                    PAGES[:2],
                    available_at=day(3),
                    arxiv_id="1706.03762v7",
                    blocks_per_chunk=size,
                    tree=False,
                    title="Attention in old files",
                )
            )


if __name__ == "__main__":
    TARGET.unlink(missing_ok=True)
    make(TARGET)
    add_evaluation(TARGET)
    add_paper(TARGET)
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")
