"""Whether a question in one language finds what another says, beside a peer that cuts texts with dictionaries.

``python bench/cross_lingual.py [--cache DIR] [--envs DIR]``: questions in English and German about the Chinese and
Japanese notes of ``bench/cjk``, in Chinese and German about the passages of ``examples/desk`` (``bench/cross``),
through hybridkb, through the textbook recipe, and through bm25s over words of jieba, Janome and Snowball's stemmers,
fused by reciprocal rank with exact cosine. All have the same texts, and the same vectors of the multilingual model
(extra ``multilingual``), which are kept in the cache. A run is compared with ``bench/expected``; when a figure is off,
the command fails.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cjk_quality
import numpy as np
from beir import Document, Vectors
from cjk_quality import SEGMENTING, Rankings, segmented
from desk_quality import judged_passages
from embedding import make_vectors
from expectations import report
from indexing import Pair
from judged import DESK, read_questions
from measure import facts, store
from peers.environments import interpreter_of
from peers.shape import fuse
from quality import MODES, judge, run

from hybridkb.documents import read_document
from hybridkb.embedders import MultilingualEmbedder
from hybridkb.evaluation.bootstrap import RESAMPLES, SEED, intervals
from hybridkb.evaluation.measures import measure as measure_rankings
from hybridkb.records import join_text

FOLDER = Path(__file__).parent / "cross"
DEPTH = 100
COMPARED = {"ndcg": "ndcg_at_10", "recall": "recall_at_10"}
PEER = "segmented"
_CACHE = Path(__file__).resolve().parents[1] / ".demo" / "cross-lingual"
_ENVIRONMENTS = Path(__file__).resolve().parents[1] / ".demo" / "peers"
_DESK_LANGUAGES = {
    "circulars/ktx-2024-08-取引時間延長.md": "ja",
    "circulars/ljfe-2023-国庆保证金.md": "zh",
    "circulars/rheinau-handelszeiten.html": "de",
    "notes/mail-2022-09-08-quellensteuer.txt": "de",
    "notes/会議メモ-2024-06-10.md": "ja",
    "rules/wertpapierleihe-lindtal.md": "de",
    "strategies/均值回归-沪铜.md": "zh",
    "tables/gebuehren-rheinau.csv": "de",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A document and the language it is in, which the peer is told."""

    document: Document
    language: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the language it is in, and what answers it, by name with its grade."""

    name: str
    language: str
    text: str
    relevant: dict[str, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """Questions in one language about texts in another: ``library`` is what they are asked of."""

    name: str
    asked: str
    about: str
    library: str


CELLS = (
    Cell("en-zh", "en", "zh", "notes"),
    Cell("en-ja", "en", "ja", "notes"),
    Cell("de-notes", "de", "zh ja", "notes"),
    Cell("zh-desk", "zh", "desk", "desk"),
    Cell("de-desk", "de", "desk", "desk"),
    Cell("en-zh-among-all", "en", "zh", "all"),
    Cell("en-ja-among-all", "en", "ja", "all"),
    Cell("de-notes-among-all", "de", "zh ja", "all"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, embed, ask everybody, store."""
    parser = argparse.ArgumentParser(description="Judge questions in one language about texts in another.")
    parser.add_argument("--cache", type=Path, default=_CACHE, metavar="DIR", help="where vectors are kept")
    parser.add_argument("--envs", type=Path, default=_ENVIRONMENTS, metavar="DIR", help="where environments are kept")
    parser.add_argument("--json", metavar="OUT", help="write the results there, not to bench/results")
    options = parser.parse_args(arguments)
    python = interpreter_of(SEGMENTING, options.envs.resolve(), lambda text: print(text, file=sys.stderr))
    results = measure(python, embed(libraries()["all"], questions(), options.cache))
    store("cross-lingual", results, options.json)
    return max(report(one) for one in results["cells"])


def libraries() -> dict[str, list[Told]]:
    """What is asked: the notes, the desk, and both in one."""
    notes = [Told(Document(one["_id"], "", one["text"], ""), one["language"]) for one in cjk_quality.read("documents")]
    desk = [
        Told(
            Document(f"{path}#{number}", " > ".join(passage.heading), passage.text, ""), _DESK_LANGUAGES.get(path, "en")
        )
        for path in sorted(one.relative_to(DESK).as_posix() for one in DESK.rglob("*") if one.is_file())
        for number, passage in enumerate(read_document((DESK / path).read_bytes(), path).passages)
    ]
    return {"notes": notes, "desk": desk, "all": [*notes, *desk]}


def questions() -> list[Asked]:
    """All questions, those about notes before those about the desk."""
    of_notes = {one["_id"]: one["relevant"] for one in cjk_quality.read("queries")}
    of_desk = {one.query: one for one in reversed(read_questions())}
    return [
        *(Asked(one["_id"], one["language"], one["text"], one.get("relevant", of_notes[one["of"]]))
          for one in _read("notes")),
        *(Asked(one["_id"], one["language"], one["text"], judged_passages(of_desk[one["of"]]))
          for one in _read("desk")),
    ]  # fmt: skip


def questions_of(cell: Cell) -> list[Asked]:
    """The questions of a cell: those in its language whose best answer is what it is about."""

    def is_about(one: Asked) -> bool:
        kind = one.name.partition("-")[2]
        return any(kind.startswith(about) for about in cell.about.split())

    return [one for one in questions() if one.language == cell.asked and is_about(one)]


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def embed(told: Sequence[Told], asked: Sequence[Asked], cache: Path) -> Vectors:
    """The vectors of everything, those that were made before taken from the cache."""
    corpus = _lines({"_id": one.document.name, "title": one.document.title, "text": one.document.text} for one in told)
    queries = _lines({"_id": one.name, "text": one.text} for one in asked)
    embedder = MultilingualEmbedder()
    named = hashlib.blake2b((corpus + queries + embedder.space.fingerprint).encode(), digest_size=6).hexdigest()
    with tempfile.TemporaryDirectory(prefix="hybridkb-cross-") as place:
        folder = Path(place) / f"cross-{named}"
        folder.mkdir()
        (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(corpus.encode()))
        (folder / "queries.jsonl").write_text(queries, encoding="utf-8")
        return make_vectors(folder, cache, embedder)


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(map(json.dumps, rows))


def measure(python: str, vectors: Vectors) -> dict[str, Any]:
    """Ask every library every question of its cells, and judge."""
    cells: list[dict[str, Any]] = []
    versions: dict[str, str] = {}
    for library, told in libraries().items():
        own = [cell for cell in CELLS if cell.library == library]
        asked = list({one.name: one for cell in own for one in questions_of(cell)}.values())
        found, versions = ask(told, asked, vectors, python)
        cells += [_judged(cell, len(told), found, vectors.model) for cell in own]
    return {
        **facts(),
        "peer_versions": versions,
        "bootstrap": {"resamples": RESAMPLES, "seed": SEED},
        "cells": sorted(cells, key=lambda one: [cell.name for cell in CELLS].index(one["cell"])),
    }


Found = dict[str, dict[Any, Rankings]]


def ask(told: Sequence[Told], asked: Sequence[Asked], vectors: Vectors, python: str) -> tuple[Found, dict[str, str]]:
    """What each engine finds in each mode, and the versions of what the peer is made of."""
    queries = {one.name: one.text for one in asked}
    with tempfile.TemporaryDirectory(prefix="hybridkb-cross-") as place, Pair(Path(place), vectors) as pair:
        pair.add(one.document for one in told)
        found: Found = {
            engine: {mode: run(answer, queries, mode, by_window=False) for mode in MODES}
            for engine, answer in {"hybridkb": pair.answer_ours, "textbook": pair.answer_textbook}.items()
        }
    words, versions = _words_of_peer(told, asked, python)
    found[PEER] = with_meaning(words, [one.document.name for one in told], vectors)
    return found, versions


def _words_of_peer(told: Sequence[Told], asked: Sequence[Asked], python: str) -> tuple[Rankings, dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="hybridkb-cross-") as place:
        folder = Path(place)
        documents = _lines(
            {"_id": one.document.name, "language": one.language,
             "text": join_text(one.document.title, one.document.text)} for one in told
        )  # fmt: skip
        queries = _lines({"_id": one.name, "language": one.language, "text": one.text} for one in asked)
        (folder / "documents.jsonl").write_text(documents, encoding="utf-8")
        (folder / "queries.jsonl").write_text(queries, encoding="utf-8")
        return segmented(python, folder)


def with_meaning(words: Rankings, names: Sequence[str], vectors: Vectors) -> dict[Any, Rankings]:
    """The peer's three modes: its words, exact cosine, and both by reciprocal rank."""
    matrix = np.array([vectors.documents[name] for name in names], np.float32)
    meaning: Rankings = {}
    for query in words:
        scores = matrix @ vectors.queries[query].astype(np.float32)
        meaning[query] = [names[row] for row in np.argsort(-scores, kind="stable")[:DEPTH]]
    both = {query: [name for name, _ in fuse(words[query], meaning[query])][:DEPTH] for query in words}
    return {"lexical": words, "semantic": meaning, "hybrid": both}


def _judged(cell: Cell, documents: int, found: Found, model: str) -> dict[str, Any]:
    judged = {one.name: one.relevant for one in questions_of(cell)}
    own: Found = {
        engine: {mode: {name: rankings[name] for name in judged} for mode, rankings in modes.items()}
        for engine, modes in found.items()
    }
    return {
        "cell": cell.name,
        "dataset": f"cross-lingual-{cell.name}",
        "judgements": "own",
        "documents": documents,
        "queries": len(judged),
        "vectors": model,
        "scores": {engine: judge(modes, judged) for engine, modes in own.items()},
        "difference": {engine: {mode: apart(own, engine, mode, judged) for mode in MODES} for engine in own
                       if engine != "hybridkb"},
    }  # fmt: skip


def apart(found: Found, engine: str, mode: Any, judged: Mapping[str, dict[str, int]]) -> dict[str, dict[str, float]]:
    """Ours minus another engine's in one mode, paired, with the 95 % interval."""
    ours, theirs = (measure_rankings(judged, found[one][mode], k=10) for one in ("hybridkb", engine))
    columns = np.array([[ours[key][name] - theirs[key][name] for name in COMPARED] for key in sorted(judged)])
    drawn = intervals(columns, resamples=RESAMPLES, seed=SEED)
    return {
        label: {name: round(bound, 4) for name, bound in interval.as_dict().items()}
        for label, interval in zip(COMPARED.values(), drawn, strict=True)
    }


if __name__ == "__main__":
    sys.exit(main())
