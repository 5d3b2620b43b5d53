"""What did we know, and when? One question asked as of three days."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hybridkb import HybridLibrary
from hybridkb.knowledge import KnowledgeItem, read_items

ITEMS = Path(__file__).resolve().parent / "items"


def main() -> None:
    """Put the filings and ask before, between and after the two reports."""
    items = [entry for _, entry in read_items(ITEMS / "filings.jsonl") if isinstance(entry, KnowledgeItem)]
    with tempfile.TemporaryDirectory() as folder, HybridLibrary.open(f"{folder}/desk.db", embedder=None) as library:
        library.put_many(items)
        for day in ("2023-02-01", "2023-12-31", "2024-12-31"):
            hits = library.search("Meridian revenue in 2022", tickers="MRDN", available_at_before=f"{day}T00:00:00Z")
            print(day, "->", hits[0].snippet if hits else "nothing was known")


if __name__ == "__main__":
    main()
