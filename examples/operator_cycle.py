"""An operator's day: evaluate, promote, try a worse model and be refused, try a better one and let it serve.

    python examples/operator_cycle.py

Somebody searches all the while, in a thread of their own, and never gets a failed answer or one that is half of the
old index and half of the new. The models here are toys that need no download (words hashed to vectors: the more
dimensions, the fewer words look alike); a real one is put in their place with ``--model`` on the command line.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hybridkb import HybridLibrary
from hybridkb.embedders import EmbeddingSpace, register_embedder
from hybridkb.errors import PromotionRefused
from hybridkb.evaluation import discard_candidate, evaluate, promote, reindex

ITEMS = sorted((Path(__file__).parent / "items").glob("*.jsonl"))
QUESTIONS = ("shortage of the red metal", "credit losses on office buildings", "HVL.B", "revenue of Meridian in 2022")
K = 3


class HashedWords:
    """Turns a text into the sum of one made-up vector for each of its words."""

    def __init__(self, dimensions: int) -> None:
        self.space = EmbeddingSpace(f"hashed-words-{dimensions}", dimensions, "1")

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_documents(texts)

    def _vector(self, text: str) -> NDArray[np.float64]:
        total = np.zeros(self.space.dimensions)
        for word in re.findall(r"\w+", text.lower()) or [text]:
            digest = hashlib.blake2b(word[:5].encode(), digest_size=8).digest()
            total += np.random.default_rng(int.from_bytes(digest, "big")).standard_normal(self.space.dimensions)
        return total


MODELS = {dimensions: HashedWords(dimensions) for dimensions in (4, 32, 512)}
for model in MODELS.values():  # so that a library opened with "auto" finds them, also when one begins to serve
    register_embedder(model.space, lambda model=model: model)  # type: ignore[misc]


@dataclass
class Reader:
    """Searches until told to stop, and keeps every answer under the fingerprint of the index that gave it.

    Equal fingerprints promise equal answers; an answer mixed of two indexes would break that promise.
    """

    path: Path
    answers: dict[tuple[str, str], set[tuple[str, ...]]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    searches: int = 0

    def run(self, stop: threading.Event) -> None:
        """Ask every question again and again."""
        with HybridLibrary.open(self.path, read_only=True) as library:
            while not stop.is_set():
                for question in QUESTIONS:
                    self.ask(library, question)

    def ask(self, library: HybridLibrary, question: str) -> None:
        """Ask once."""
        self.searches += 1
        try:
            found = library.search(question, top_k=5)
        except Exception as error:
            self.failures.append(f"{type(error).__name__}: {error}")
            return
        if found.mode != "hybrid" or found.degraded:
            self.failures.append(f"answered by {found.mode}: {found.degraded}")
        answer = tuple(f"{hit.locator} {hit.score!r}" for hit in found)
        self.answers.setdefault((found.fingerprint, question), set()).add(answer)

    @property
    def indexes(self) -> int:
        """How many different indexes answered."""
        return len({fingerprint for fingerprint, _ in self.answers})

    @property
    def mixed(self) -> int:
        """How many questions one index answered in two ways."""
        return sum(len(answers) > 1 for answers in self.answers.values())


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Let somebody search while the block runs."""
    reader, stop = Reader(path), threading.Event()
    thread = threading.Thread(target=reader.run, args=(stop,))
    thread.start()
    try:
        yield reader
    finally:
        stop.set()
        thread.join()


def make_library(path: Path) -> None:
    """Ingest the example items with the first model, evaluate, and say that this is the baseline."""
    with HybridLibrary.open(path, embedder=MODELS[32]) as library:
        for file in ITEMS:
            library.import_lines(file)
        report = evaluate(library, k=K)  # on the gold set that comes with hybridkb and judges these items
        print(f"evaluated: hybrid recall@{K} {report.recall('hybrid'):.3f}; promoted: {report.promote}")
        promote(library, baseline=True, note="first model")


def change_model(path: Path, dimensions: int) -> bool:
    """Build an index with another model beside the one that serves; let it serve if the gate allows."""
    with HybridLibrary.open(path) as library:
        built = reindex(library, embedder=MODELS[dimensions], k=K)
        compared = built.evaluation.gate.baseline
        assert compared is not None
        print(f"\n{built.changes}: hybrid recall@{K} {compared.before:.3f} before, {compared.now:.3f} now")
        for change in built.evaluation.lost[:3]:
            print(f"  lost: {change.query}")
        for change in built.evaluation.won[:3]:
            print(f"  won: {change.query}")
        try:
            done = promote(library)
        except PromotionRefused as refused:
            print(f"  {refused}")
            discard_candidate(library.path)
            return False
        print(f"  promoted: run {done.run} serves, {done.vectors} vectors taken over")
        return True


def cycle(path: Path) -> tuple[bool, bool]:
    """A worse model, then a better one; whether each was promoted."""
    return change_model(path, 4), change_model(path, 512)


def main() -> None:
    """Run the day and tell how it went for the reader."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "desk.db"
        make_library(path)
        with reading(path) as reader:
            worse, better = cycle(path)
        print(f"\nworse model promoted: {worse}; better model promoted: {better}")
        print(f"meanwhile {reader.searches:,} searches: {len(reader.failures)} failed, {reader.mixed} mixed")


if __name__ == "__main__":
    main()
