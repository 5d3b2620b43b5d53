"""hybridkb and its peers on the same documents, vectors and queries: one command, one table.

``python bench/peers/run.py DATASET_DIR[:QRELS] [--generated 10k] [--only NAME] [--envs DIR] [--embed CACHE]``

Quality is measured on the judged collection; building, size, latency, filters and look-ahead on a generated corpus;
then every peer is handed the hostile texts. Each task of each peer runs in a process of its own: a crash is a line of
the table. Latency is measured in rounds, peer after peer, so that a machine that grows busy is so for all. The results
go to ``bench/results`` unless only some peers were asked. With ``--work`` a run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from beir import read_vectors
from embedding import make_vectors
from measure import facts, store

from peers import hostile
from peers.adapters import ADAPTERS, OURS
from peers.environments import NotInstalled, interpreter_of
from peers.jobs import Jobs
from peers.judging import judge_hostile, judge_quality, merge_rounds
from peers.page import summary
from peers.prepare import Judged, write_collection, write_generated

TOP_K = 10
DEPTH, WINDOWS_DEPTH = 100, 400
QUERIES = 40
PAST_AT_MOST = 10_000
_ENVIRONMENTS = Path(__file__).resolve().parents[2] / ".demo" / "peers"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, store, show."""
    options = _read(arguments)
    work = (options.work or Path(tempfile.mkdtemp(prefix="hybridkb-peers-"))).resolve()  # tasks run elsewhere
    try:
        results = measure(options, work)
    finally:
        if options.work is None:
            shutil.rmtree(work, ignore_errors=True)
    print(summary(results))
    if options.only and options.json is None:
        _say("not stored: only a run of all peers is; name a file with --json")
    else:
        name = f"peers-{results['collection']['name']}-{options.generated}"
        _say(f"stored in {store(name, results, options.json).name}; now: python bench/render.py")
    return 0


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure hybridkb beside what a buyer would use instead.")
    parser.add_argument("dataset", metavar="DATASET_DIR[:QRELS]")
    parser.add_argument("--generated", default="10k", metavar="SIZE", help="passages of the generated corpus, as 10k")
    parser.add_argument("--only", action="append", choices=[name for name in ADAPTERS if name != OURS], default=[],
                        metavar="NAME", help=f"this peer beside hybridkb; again for more ({', '.join(ADAPTERS)})")
    parser.add_argument("--envs", type=Path, default=_ENVIRONMENTS, metavar="DIR", help="where environments are kept")
    parser.add_argument("--embed", type=Path, metavar="CACHE", help="make vectors where there are none, kept there")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep indexes and partial results; go on from them")
    parser.add_argument("--rounds", type=int, default=3, help="how often the latency of each peer is measured")
    parser.add_argument("--budget", type=float, default=3.0, metavar="SECONDS",
                        help="a case of a slow peer gets as many queries as fit twice in this time")
    parser.add_argument("--json", metavar="OUT", help="write the results there, not to bench/results")
    options = parser.parse_args(arguments)  # fmt: skip
    _size(parser, options.generated)
    return options


def _size(parser: argparse.ArgumentParser, text: str) -> int:
    try:
        return passages(text)
    except ValueError:
        parser.error(f"--generated takes a number of passages such as 500 or 10k, not {text!r}")


def passages(text: str) -> int:
    """``10k`` is 10,000."""
    size = int(text.removesuffix("k")) * (1000 if text.endswith("k") else 1)
    if size < 1:
        raise ValueError(text)
    return size


def measure(options: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Everything, peer by peer; then the rounds of latency; returns what is stored."""
    started = time.perf_counter()
    names = [name for name in ADAPTERS if not options.only or name in (OURS, *options.only)]
    environment = facts()
    size = passages(options.generated)
    work.mkdir(parents=True, exist_ok=True)
    _same_run(work / "run.json", [options.dataset, size, QUERIES])
    _say("writing documents, queries and vectors")
    judged = _prepare(options, size, work)
    interpreters, found = _interpreters(names, options.envs.resolve())
    jobs = Jobs(work, interpreters, _say)
    for name in interpreters:
        found[name] |= _once(jobs, name, judged, work)
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in interpreters}
    for number in range(options.rounds):
        for name in interpreters:
            if "failed" not in found[name]["build"]:
                job = {"inputs": str(work / "generated"), "k": TOP_K, "budget": options.budget}
                rounds[name].append(jobs.run(name, "ask", job, folder="build", label=f"ask-{number + 1}"))
    for name, asked in rounds.items():
        found[name]["asked"] = merge_rounds(asked)
    _say(f"measured in {time.perf_counter() - started:,.0f} s")
    return {
        "collection": _collection(options.dataset, judged),
        "generated": {"passages": size, "queries": QUERIES, "past": min(size, PAST_AT_MOST)},
        **environment,
        "method": {"rounds": options.rounds, "top_k": TOP_K, "hostile_texts": len(hostile.TEXTS)},
        "seconds": round(time.perf_counter() - started),
        "peers": found,
    }


def _once(jobs: Jobs, name: str, judged: Judged, work: Path) -> dict[str, Any]:
    """The tasks that are not repeated."""
    depth = WINDOWS_DEPTH if judged.by_window else DEPTH
    ranked = jobs.run(name, "quality", {"inputs": str(work / "collection"), "depth": depth})
    built = jobs.run(name, "build", {"inputs": str(work / "generated")}, keep=True)
    dated = work / ("past" if (work / "past").exists() else "generated")
    past = jobs.run(name, "later", {"inputs": str(dated), "k": TOP_K})
    texts = jobs.run_hostile(name, len(hostile.TEXTS))
    return {
        **_about(ranked, built, past),
        "quality": judge_quality(ranked, judged),
        "build": built,
        "past": past,
        "hostile": judge_hostile(texts),
    }


def _about(*answers: dict[str, Any]) -> dict[str, Any]:
    """What every answer says of the peer, taken out of them and said once."""
    found: dict[str, Any] = {}
    for answer in answers:
        found |= {key: answer.pop(key) for key in ("versions", "modes", "note") if key in answer}
    return found


def _prepare(options: argparse.Namespace, size: int, work: Path) -> Judged:
    folder, _, judgements = options.dataset.partition(":")
    path = Path(folder)
    vectors = read_vectors(path) or (make_vectors(path, options.embed) if options.embed else None)
    if vectors is None:
        raise SystemExit("the collection has no vectors beside it (emb-*); --embed CACHE makes them")
    write_generated(size, QUERIES, work / "generated")
    if size > PAST_AT_MOST:
        write_generated(PAST_AT_MOST, QUERIES, work / "past")
    return write_collection(path, judgements or "test", vectors, work / "collection")


def _interpreters(names: Sequence[str], folder: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The Python of every peer that can be had, and an entry for each, also for those that cannot."""
    interpreters: dict[str, str] = {}
    found: dict[str, Any] = {}
    for name in names:
        found[name] = {"title": ADAPTERS[name].title}
        try:
            interpreters[name] = interpreter_of(ADAPTERS[name], folder, _say)
        except NotInstalled as reason:
            _say(f"{name}: {reason}")
            found[name]["unavailable"] = str(reason)
    return interpreters, found


def _collection(dataset: str, judged: Judged) -> dict[str, Any]:
    folder, _, judgements = dataset.partition(":")
    return {
        "name": Path(folder).name,
        "judgements": judgements or "test",
        "documents": judged.documents,
        "queries": len(judged.queries),
        "vectors": judged.vectors,
    }


def _same_run(path: Path, asked: list[Any]) -> None:
    """A folder of work belongs to one set of inputs."""
    text = json.dumps(asked)
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise SystemExit("the folder given by --work belongs to another run; name another one")
    path.write_text(text, encoding="utf-8")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
