"""Whether Chinese and Japanese are found by words, beside a peer that cuts them with a dictionary.

``python bench/cjk_quality.py [--envs DIR]``: the notes and judged questions of ``bench/cjk`` through hybridkb, through
the textbook recipe, and through bm25s over the words of jieba and Janome, which runs in an environment of its own
(``peers/requirements-cjk.txt``). Words only: the bundled model reads English.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from beir import Document
from indexing import Pair
from measure import facts, store
from peers.adapters import Adapter
from peers.environments import interpreter_of

from hybridkb.evaluation.bootstrap import RESAMPLES, SEED, intervals
from hybridkb.evaluation.measures import measure as measure_rankings

FOLDER = Path(__file__).parent / "cjk"
LANGUAGES = {"zh": "Chinese", "ja": "Japanese"}
SEGMENTING = Adapter("segmented", "bm25s, words of jieba and Janome", "cjk")
DEPTH = 100
MEASURES = {10: {"ndcg": "ndcg_at_10"}, 100: {"recall": "recall_at_100"}}
_ENVIRONMENTS = Path(__file__).resolve().parents[1] / ".demo" / "peers"

Rankings = dict[str, list[str]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, ask everybody, store."""
    parser = argparse.ArgumentParser(description="Judge words in Chinese and Japanese beside a peer with a dictionary.")
    parser.add_argument("--envs", type=Path, default=_ENVIRONMENTS, metavar="DIR", help="where environments are kept")
    parser.add_argument("--json", metavar="OUT", help="write the results there, not to bench/results")
    options = parser.parse_args(arguments)
    python = interpreter_of(SEGMENTING, options.envs.resolve(), lambda text: print(text, file=sys.stderr))
    results = measure(*segmented(python))
    store("cjk", results, options.json)
    print(render_cjk(results))
    return 0


def read(name: str) -> list[dict[str, Any]]:
    """The documents or the queries."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def segmented(python: str, folder: Path = FOLDER) -> tuple[Rankings, dict[str, str]]:
    """What the peer finds in a folder of documents and queries, and the versions of what it is made of."""
    with tempfile.TemporaryDirectory(prefix="hybridkb-cjk-") as place:
        out = Path(place) / "found.json"
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
        subprocess.run([python, "-m", "peers.segmented", str(folder), str(out)], check=True, env=environment)
        found = json.loads(out.read_text(encoding="utf-8"))
    return found["rankings"], found["versions"]


def measure(peer: Rankings, versions: Mapping[str, str]) -> dict[str, Any]:
    """Ask both engines of ours and judge all three."""
    documents, queries = read("documents"), read("queries")
    with tempfile.TemporaryDirectory(prefix="hybridkb-cjk-") as place, Pair(Path(place), None) as pair:
        pair.add(Document(one["_id"], "", one["text"], "") for one in documents)
        ours, textbook = ({one["_id"]: [name for name, _ in ask(one["text"], one["_id"], "lexical", top_k=DEPTH)]
                           for one in queries} for ask in (pair.answer_ours, pair.answer_textbook))  # fmt: skip
    found = {"hybridkb": ours, "segmented": peer, "textbook": textbook}
    return {
        **facts(),
        "peer_versions": dict(versions),
        "languages": {
            language: {
                "documents": sum(one["language"] == language for one in documents),
                **judge([one for one in queries if one["language"] == language], found),
            }
            for language in LANGUAGES
        },
    }


def judge(queries: Sequence[Mapping[str, Any]], found: Mapping[str, Rankings]) -> dict[str, Any]:
    """Means of each engine, and ours minus the peer's, paired, with the 95 % interval."""
    judged = {one["_id"]: one["relevant"] for one in queries}
    scores: dict[str, Any] = {engine: {} for engine in found}
    difference: dict[str, Any] = {}
    for k, wanted in MEASURES.items():
        values = {
            engine: measure_rankings(judged, {name: rankings[name] for name in judged}, k=k)
            for engine, rankings in found.items()
        }
        for name, label in wanted.items():
            columns = {engine: np.array([by[key][name] for key in sorted(judged)]) for engine, by in values.items()}
            apart = (columns["hybridkb"] - columns["segmented"])[:, np.newaxis]
            (interval,) = intervals(apart, resamples=RESAMPLES, seed=SEED)
            difference[label] = {name: round(bound, 4) for name, bound in interval.as_dict().items()}
            for engine, column in columns.items():
                scores[engine][label] = round(float(column.mean()), 4)
    return {"queries": len(judged), "scores": scores, "hybridkb_minus_segmented": difference}


def render_cjk(results: Mapping[str, Any]) -> str:
    """The results as a table in Markdown."""
    titles = {"hybridkb": "hybridkb", "segmented": SEGMENTING.title, "textbook": "textbook recipe"}
    heads = ["language", "documents", "questions", *(f"{title}, nDCG@10 / recall@100" for title in titles.values()),
             "hybridkb minus the dictionary's, nDCG@10"]  # fmt: skip
    lines = [heads, ["---"] * len(heads)]
    for language, one in results["languages"].items():
        cells = [f"{score['ndcg_at_10']:.3f} / {score['recall_at_100']:.3f}"
                 for score in (one["scores"][engine] for engine in titles)]  # fmt: skip
        apart = one["hybridkb_minus_segmented"]["ndcg_at_10"]
        told = f"{apart['value']:+.3f} [{apart['low']:+.3f}, {apart['high']:+.3f}]"
        lines.append([LANGUAGES[language], str(one["documents"]), str(one["queries"]), *cells, told])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
