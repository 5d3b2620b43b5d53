"""Made ``before_audit.db.gz``: a library as hybridkb 0.1.0 wrote it before there was an audit (commit 2d07211).

Run once, with that version on the path: ``python make_library.py before_audit.db.gz``. The file stays as it is; later
versions must open it, audit it and answer as it did.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from hybridkb import HybridLibrary
from hybridkb.embedders import EmbeddingSpace
from hybridkb.knowledge import ExtractionRef, Filing, Note, SourceRef, TreeNode, stable_id

START = datetime(2023, 1, 1, tzinfo=UTC)


class TinyEmbedder:
    """Eight numbers from the hash of a text."""

    space = EmbeddingSpace(model="tiny", dimensions=8, version="1")

    def embed_documents(self, texts):  # type: ignore[no-untyped-def]
        """One row for each text."""
        rows = [np.frombuffer(hashlib.blake2b(text.encode(), digest_size=8).digest(), np.uint8) for text in texts]
        return np.array(rows, np.float32) + 1

    embed_queries = embed_documents


def day(number: int) -> datetime:
    """So many days after the first of January 2023."""
    return START + timedelta(days=number)


def note(name: str, body: str, available_at: datetime | None, **fields: object) -> Note:
    """A note."""
    common = {"as_of": START - timedelta(days=9), "created_at": START, "source": SourceRef(kind="manual")}
    return Note(id=stable_id("old", name), body=body, available_at=available_at, **(common | fields))


def fill(library: HybridLibrary) -> None:
    """Every kind of row: revisions, a tree, a correction, a withdrawal, a purge, what is unknown and what is wrong."""
    written = ExtractionRef(producer="flow", model="gpt-4")
    early = SourceRef(kind="http", published_at=day(9))
    nodes = {
        "root": TreeNode(node_id="root", title="Annual report"),
        "risk": TreeNode(node_id="risk", parent_id="root", position=0, content="copper risk"),
    }
    tree = {"as_of": START, "created_at": START, "source": SourceRef(kind="http"), "root_node_id": "root"}
    library.put_many([
        note("plain", "copper supply", day(0)),
        note("revised", "copper demand", day(1)),
        note("unknown", "copper unknown", None),
        note("early", "copper early", day(8), source=early),
        note("ahead", "copper ahead", day(3), as_of=day(4)),
        note("written", "copper summary", day(2), extraction=written),
        note("gone", "copper gone", day(2)),
        note("erased", "copper erased", day(2)),
        Filing(id=stable_id("old", "tree"), title="Annual report", nodes=nodes, available_at=day(5), **tree),
    ])
    library.put(note("revised", "copper demand falls", day(6)))
    library.put(note("plain", "copper supply corrected", day(0)))
    library.delete(stable_id("old", "gone"), at=day(7))
    library.purge(stable_id("old", "erased"), reason="licence ended")


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "old.db"
        with HybridLibrary.open(path, embedder=TinyEmbedder(), clock=lambda: day(20)) as library:
            fill(library)
            library.compact()
        Path(sys.argv[1]).write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main()
