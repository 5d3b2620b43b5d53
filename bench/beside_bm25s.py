"""Quality beside bm25s on every collection: words with English stemming, and the same fused with the vectors.

``python bench/beside_bm25s.py DATASET_DIR[:QRELS] ... [--embed CACHE] [--envs DIR]``. The same adapters and tasks as
``bench/peers/run.py``, without what takes time to measure: it says only what is found, so it may run on a busy machine.
Vectors as in ``bench/quality.py``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from beir import read_vectors
from embedding import make_vectors
from measure import facts, store
from peers.adapters import ADAPTERS, OURS
from peers.environments import interpreter_of
from peers.jobs import Jobs
from peers.judging import rankings_of
from peers.prepare import Judged, write_collection
from peers.shape import Mode
from quality import MEASURES

from hybridkb.evaluation.bootstrap import RESAMPLES, SEED, intervals
from hybridkb.evaluation.measures import measure as measure_rankings

PEER = "bm25s"
MODES: tuple[Mode, ...] = ("lexical", "hybrid")
DEPTH, WINDOWS_DEPTH = 100, 400
_ENVIRONMENTS = Path(__file__).resolve().parents[1] / ".demo" / "peers"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure each collection, store."""
    parser = argparse.ArgumentParser(description="Measure what is found beside bm25s, without timing anything.")
    parser.add_argument("datasets", nargs="+", metavar="DATASET_DIR[:QRELS]")
    parser.add_argument("--embed", type=Path, metavar="CACHE", help="make vectors where there are none, kept there")
    parser.add_argument("--envs", type=Path, default=_ENVIRONMENTS, metavar="DIR", help="where environments are kept")
    options = parser.parse_args(arguments)
    for dataset in options.datasets:
        folder, _, judgements = dataset.partition(":")
        path = Path(folder)
        vectors = read_vectors(path) or (make_vectors(path, options.embed) if options.embed else None)
        if vectors is None:
            parser.error(f"{path.name} has no vectors beside it (emb-*); --embed CACHE makes them")
        with tempfile.TemporaryDirectory(prefix="hybridkb-beside-") as place:
            judged = write_collection(path, judgements or "test", vectors, Path(place) / "collection")
            found = ask(Path(place), judged, options.envs.resolve())
        results = {"dataset": path.name, "judgements": judgements or "test", **facts(), **judge(judged, found)}
        store(f"beside-bm25s-{path.name}", results)
        _say(f"{path.name}: {results['modes']}")
    return 0


def ask(work: Path, judged: Judged, environments: Path) -> dict[str, dict[str, Any]]:
    """What each of the two finds, each in a process and environment of its own."""
    interpreters = {name: interpreter_of(ADAPTERS[name], environments, _say) for name in (OURS, PEER)}
    jobs = Jobs(work, interpreters, _say)
    depth = WINDOWS_DEPTH if judged.by_window else DEPTH
    job = {"inputs": str(work / "collection"), "depth": depth}
    return {name: jobs.run(name, "quality", job) for name in interpreters}


def judge(judged: Judged, found: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """By mode the measures of both, and ours minus the peer's, paired, each with its 95 % interval."""
    failed = [f"{name}: {one['failed']}" for name, one in found.items() if "failed" in one]
    if failed:
        raise SystemExit("; ".join(failed))
    rankings = {name: rankings_of(one, judged) for name, one in found.items()}
    modes: dict[Mode, Any] = {mode: {OURS: {}, PEER: {}, "difference": {}} for mode in MODES}
    for mode, compared in modes.items():
        for k, wanted in MEASURES.items():
            values = {name: measure_rankings(judged.judgements, one[mode], k=k) for name, one in rankings.items()}
            keys = sorted(values[OURS])
            for measured, label in wanted.items():
                ours, theirs = (np.array([values[name][key][measured] for key in keys]) for name in (OURS, PEER))
                drawn = intervals(np.column_stack([ours, theirs, ours - theirs]), resamples=RESAMPLES, seed=SEED)
                for place, interval in zip(compared, drawn, strict=True):
                    compared[place][label] = {name: round(bound, 4) for name, bound in interval.as_dict().items()}
    return {"queries": len(judged.queries), "peer_versions": found[PEER]["versions"], "modes": modes}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
