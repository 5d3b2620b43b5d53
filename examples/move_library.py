"""Move a library to another place, and see that it answers there as it did here.

    python examples/move_library.py                                     to another file
    python examples/move_library.py "postgresql:///research?schema=desk"    to a server (extra postgres)

The copy may be killed at any time and started again. Until every table has been read back and compared, the target is
no library, and opening it says so.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hybridkb import HybridLibrary
from hybridkb.copying import copy_library
from hybridkb.errors import UnfinishedCopy
from hybridkb.knowledge import KnowledgeItem, read_items

ITEMS = sorted((Path(__file__).parent / "items").glob("*.jsonl"))
CUTOFF = datetime(2024, 1, 1, tzinfo=UTC)


class PowerCut(Exception):
    """What ends the first try of this example."""


def fill(path: Path) -> None:
    with HybridLibrary.open(path, embedder=None) as library:
        entries = [entry for file in ITEMS for _, entry in read_items(file)]
        library.put_many([entry for entry in entries if isinstance(entry, KnowledgeItem)])


def answers(place: str | Path) -> list[object]:
    """What a library says now, and what it would have said at a cutoff."""
    with HybridLibrary.open(place, embedder=None) as library:
        found = [library.search("copper supply", available_at_before=cutoff) for cutoff in (None, CUTOFF)]
        return [(one.fingerprint, list(one)) for one in found]


def cut_the_power(stage: str, done: int, total: int) -> None:
    if stage == "copying" and done > total // 2:
        raise PowerCut


def main(target: str, source: Path) -> None:
    fill(source)
    try:
        copy_library(source, target, progress=cut_the_power)
    except PowerCut:
        print("the first try ended half-way")
    try:
        HybridLibrary.open(target, embedder=None)
    except UnfinishedCopy:
        print("and left no library, but a copy to go on with")
    report = copy_library(source, target)
    assert report.resumed
    print(f"copied: {report.tables['item']} items, {report.tables['record']} records, {report.rows:,} rows")
    assert answers(source) == answers(target)
    print("the copy answers as its source does, now and at the cutoff")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "moved.db"), Path(folder) / "desk.db")
