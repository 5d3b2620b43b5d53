"""The same library from async code: many questions at once, the event loop never blocked."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hybridkb import AsyncHybridLibrary
from hybridkb.knowledge import KnowledgeItem, read_items

ITEMS = Path(__file__).resolve().parent / "items"
QUESTIONS = ("copper deficit", "deposits leaving banks", "10-K", "HVL.B")


async def main() -> None:
    """Put the notes and the filings, then ask everything at once."""
    items = [
        entry
        for name in ("notes.jsonl", "filings.jsonl")
        for _, entry in read_items(ITEMS / name)
        if isinstance(entry, KnowledgeItem)
    ]
    with tempfile.TemporaryDirectory() as folder:
        async with await AsyncHybridLibrary.open(f"{folder}/desk.db", embedder=None) as library:
            await library.put_many(items)
            answers = await asyncio.gather(*(library.search(question, top_k=1) for question in QUESTIONS))
            for question, hits in zip(QUESTIONS, answers, strict=True):
                print(f"{question}: {hits[0].title if hits else 'nothing'}")


if __name__ == "__main__":
    asyncio.run(main())
