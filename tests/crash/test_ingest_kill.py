"""kill -9 while cards go in: every card is there whole or not at all, and the next run does nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.memory import ingest_sources
from hybridkb.memory.chunks import chunk_texts
from support.fake_embedder import HashEmbedder
from support.memory_cards import cards

TESTS = Path(__file__).parents[1]
KILLS = 6

WRITER = """
import sys
from hybridkb import HybridLibrary
from hybridkb.memory import ingest_sources
from support.fake_embedder import HashEmbedder
from support.memory_cards import cards

class Telling(HashEmbedder):
    def embed_documents(self, texts):
        found = super().embed_documents(texts)
        print("embedded", len(texts), flush=True)
        return found

library = HybridLibrary.open(sys.argv[1], embedder=Telling(8))
print("ready", flush=True)
ingest_sources(library, cards(int(sys.argv[2])), words_per_chunk=6, overlap=2, embed_batch=4)
print("done", flush=True)
"""


def run_and_kill(path: Path, version: int, delay: float) -> int:
    """Let an ingest work for a while; return how many texts it had embedded, at least."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(version)], cwd=TESTS, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert writer.stdout is not None
    assert writer.stderr is not None
    assert writer.stdout.readline().startswith("ready"), writer.stderr.read()
    time.sleep(delay)
    writer.send_signal(signal.SIGKILL)
    output = writer.stdout.read()  # communicate() would lose what readline() read ahead
    writer.wait(30)
    writer.stderr.close()
    return sum(int(line.split()[1]) for line in output.splitlines() if line.startswith("embedded "))


@pytest.mark.slow
def test_killed_ingests_leave_whole_cards_and_go_on(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    source = random.Random(3)
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        ingest_sources(library, cards(0), words_per_chunk=6, overlap=2)
        all_chunks = library.stats().records
    interrupted = 0
    for version in range(1, KILLS + 1):
        embedded = run_and_kill(path, version, source.uniform(0.02, 0.3))
        interrupted += 0 < embedded < all_chunks
        with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
            assert library.check().ok
            before = library.search("copper", mode="semantic")
            assert (before.pending, before.degraded) == (0, None)
            for card in cards(version):
                versions = {chunk.text.split()[0].split("v")[1] for chunk in chunk_texts(library, card.slug)}
                assert versions <= {str(version)} or versions <= {str(version - 1)}, "a card is never of two versions"
            rest = HashEmbedder(8)
        with HybridLibrary.open(path, embedder=rest) as library:
            ingest_sources(library, cards(version), words_per_chunk=6, overlap=2)
            assert library.stats().visible_records == all_chunks
            # The last batch may have been embedded and not committed.
            assert all_chunks - embedded <= len(rest.document_texts) <= all_chunks - embedded + 4
            assert ingest_sources(library, cards(version), words_per_chunk=6, overlap=2).slugs == ()
    assert interrupted, "some run was killed in the middle of its work"
