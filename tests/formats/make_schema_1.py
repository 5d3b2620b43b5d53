"""Makes ``schema-1.db``: a library as the first release writes it. Run once, then kept as it is.

    python tests/formats/make_schema_1.py

Everything a file can hold is in it: flat items and a tree, revisions, a withdrawal, a tombstone, unknown
availability, tags, a packed segment beside a tail, a serving space and one that is being built, a pending text.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hybridkb import HybridLibrary
from oracles.items import day, earnings, filing, item_id, news, note
from support.fake_embedder import HashEmbedder

TARGET = Path(__file__).with_name("schema-1.db")
CLOCK = datetime(2026, 1, 1, tzinfo=UTC)


def make(path: Path) -> None:
    """Write the library to ``path``."""
    ticks = iter(range(1000))

    def clock() -> datetime:
        return CLOCK + timedelta(seconds=next(ticks))

    with HybridLibrary.open(path, embedder=HashEmbedder(8), clock=clock) as library:
        library.put_many([
            note(1, "Supply gap widens.", title="Copper", tags=("metals", "supply")),
            note(1, "Supply gap closes.", title="Copper", available_at=day(10), tags=("metals",)),
            note(2, "Nobody knows since when.", title="Rumour", available_at=None),
            news(3, "Harvest fails in the north.", headline="Wheat", available_at=day(2)),
            note(4, "Erased again.", title="Mistake"),
            filing("f", {"risk": "Rates may rise.", "business": "We make steel."}, title="Annual report", root="10-K"),
        ])  # fmt: skip
        library.delete(item_id(3), at=day(20))
        library.purge(item_id(4), reason="put by mistake")
        library.compact()
        library.put(earnings("e", "BRK.B", "2024Q1", available_at=day(30)))
        library.put_many([note(5, "Nothing embedded this.", title="Pending")], embed=False)
    with HybridLibrary.open(path, embedder=HashEmbedder(8, "newer"), clock=clock) as library:
        library.put(note(6, "Two models know this one.", title="Both"))
    with HybridLibrary.open(path, embedder=None) as library:
        library.check().raise_if_broken()


if __name__ == "__main__":
    TARGET.unlink(missing_ok=True)
    make(TARGET)
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")
