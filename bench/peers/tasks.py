"""What is measured with one peer, task by task. Runs in the peer's environment: numpy and the peer, nothing of ours.

Each task takes a peer's maker and the folders of its inputs, and returns plain data; the command judges and compares.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from peers import hostile
from peers.shape import Document, Filter, Hit, Mode, Peer, Vectors

Make = Callable[[Path, int], Peer]
Asked = Callable[[int], list[Hit]]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What ``prepare.py`` wrote: documents and queries with their vectors, unit length."""

    documents: list[Document]
    vectors: Vectors
    queries: list[str]
    natural: list[str]
    query_vectors: Vectors
    facts: dict[str, Any]


def read_inputs(folder: Path, *, documents: bool = True) -> Inputs:
    """Read a folder; without documents, only what a search needs."""
    lines = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines() if documents else []
    queries = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    return Inputs(
        [Document(**{**fields, "tags": tuple(fields["tags"])}) for fields in map(json.loads, lines)],
        _unit(np.load(folder / "vectors.npy")) if documents else np.empty((0, 0), np.float32),
        queries["texts"],
        queries["natural"],
        _unit(np.load(folder / "query-vectors.npy")),
        queries["facts"],
    )


def rankings(make: Make, inputs: Inputs, folder: Path, depth: int) -> dict[str, Any]:
    """Build a judged collection; for each mode and query, the names of the best."""
    peer = _built(make, inputs, folder)
    found: dict[str, Any] = {}
    failed: dict[str, int] = {}
    for mode in peer.modes:
        found[mode] = []
        for place, text in enumerate(inputs.queries):
            try:
                hits = peer.search(text, inputs.query_vectors[place], depth, mode=mode)
            except Exception:
                hits = []
                failed[mode] = failed.get(mode, 0) + 1
            found[mode].append([hit.name for hit in hits])
    peer.close()
    return {"rankings": found, "queries_that_raised": failed}


def build(make: Make, inputs: Inputs, folder: Path) -> dict[str, Any]:
    """Time the building, and weigh what lies on disk afterwards."""
    peer = make(folder, inputs.vectors.shape[1])
    started = time.perf_counter()
    peer.build(inputs.documents, inputs.vectors)
    seconds = time.perf_counter() - started
    peer.close()
    count = len(inputs.documents)
    return {
        "documents": count,
        "seconds": round(seconds, 2),
        "documents_per_second": round(count / seconds),
        "bytes_per_document": round(bytes_on_disk(folder) / count),
    }


def ask(make: Make, inputs: Inputs, folder: Path, k: int, budget: float) -> dict[str, Any]:
    """Time the queries of every case against what was built, each once, after each was asked once.

    A slow peer is asked fewer queries: no more of them than could be asked in ``budget`` seconds a case.
    """
    peer = make(folder, inputs.query_vectors.shape[1])
    opening = time.perf_counter()
    peer.open()
    opened = time.perf_counter() - opening
    cases: dict[str, Asked] = {mode: partial(_one, peer, inputs, k, mode, None) for mode in peer.modes}
    if "hybrid" in peer.modes:
        cases["hybrid, function words"] = partial(_natural, peer, inputs, k)
    timed = {name: _timed(asked, len(inputs.queries), budget)[0] for name, asked in cases.items()}
    for tag, names in inputs.facts["tags"].items():
        for mode in [mode for mode in peer.modes if mode != "lexical"]:
            asked = partial(_one, peer, inputs, k, mode, Filter(tag=tag))
            times, answers = _timed(asked, len(inputs.queries), budget)
            timed[f"{mode}, {tag}"] = times | _judged(answers, names, k)
    peer.close()
    return {"open_ms": round(opened * 1e3, 1), "cases": timed, "memory_mb": _resident_megabytes()}


def later(make: Make, inputs: Inputs, folder: Path, k: int) -> dict[str, Any]:
    """How many answers at a date differ once later documents were added; and when merely asked again."""
    cutoff = inputs.facts["cutoff"]
    early = np.array([document.available_at <= cutoff for document in inputs.documents])
    peer = make(folder, inputs.vectors.shape[1])
    peer.build([one for one, old in zip(inputs.documents, early, strict=True) if old], inputs.vectors[early])
    asked = {mode: _answers(peer, inputs, k, mode, Filter(before=cutoff)) for mode in peer.modes}
    again = {mode: _answers(peer, inputs, k, mode, Filter(before=cutoff)) for mode in peer.modes}
    started = time.perf_counter()
    peer.add([one for one, old in zip(inputs.documents, early, strict=True) if not old], inputs.vectors[~early])
    seconds = time.perf_counter() - started
    after = {mode: _answers(peer, inputs, k, mode, Filter(before=cutoff)) for mode in peer.modes}
    peer.close()
    return {
        "queries": len(inputs.queries),
        "documents_at_cutoff": int(early.sum()),
        "documents_later": int((~early).sum()),
        "add_seconds": round(seconds, 2),
        "asked_again": {mode: compare(asked[mode], again[mode]) for mode in asked},
        "changed": {mode: compare(asked[mode], after[mode]) for mode in asked},
        "too_new": {mode: _too_new(after[mode], inputs.documents, cutoff) for mode in asked},
    }


def hostile_texts(make: Make, folder: Path, log: Path, skip: int) -> None:
    """Ask for every hostile text from one on; a line before and after each, so that a crash names its text.

    A peer that has an entry for text as typed is asked there too.
    """
    peer = make(folder, hostile.DIMENSIONS)
    peer.build(hostile.DOCUMENTS, hostile.vectors())
    with log.open("a", encoding="utf-8") as lines:
        for place, one in enumerate(hostile.TEXTS[skip:], skip):
            print(json.dumps({"place": place, "begun": True}), file=lines, flush=True)
            found = {"place": place, "careful": _careful(peer, one), "as_typed": _as_typed(peer, one.text)}
            print(json.dumps(found), file=lines, flush=True)
    peer.close()


def versions(peer: Peer) -> dict[str, str | None]:
    """The versions of what the peer is made of."""
    found: dict[str, str | None] = {}
    for name in peer.distributions:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def bytes_on_disk(folder: Path) -> int:
    """All files under a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def compare(old: Sequence[list[Hit]], new: Sequence[list[Hit]]) -> dict[str, float]:
    """Shares of answers that differ: in which hits there are, in their order, in a score by one bit."""
    pairs = list(zip(old, new, strict=True))
    return {
        "hits": _share({hit.name for hit in one} != {hit.name for hit in two} for one, two in pairs),
        "order": _share([hit.name for hit in one] != [hit.name for hit in two] for one, two in pairs),
        "scores": _share([hit[:2] for hit in one] != [hit[:2] for hit in two] for one, two in pairs),
    }


def _built(make: Make, inputs: Inputs, folder: Path) -> Peer:
    peer = make(folder, inputs.vectors.shape[1])
    peer.build(inputs.documents, inputs.vectors)
    return peer


def _one(peer: Peer, inputs: Inputs, k: int, mode: Mode, narrow: Filter | None, place: int) -> list[Hit]:
    return peer.search(inputs.queries[place], inputs.query_vectors[place], k, narrow, mode=mode)


def _natural(peer: Peer, inputs: Inputs, k: int, place: int) -> list[Hit]:
    return peer.search(inputs.natural[place], inputs.query_vectors[place], k)


def _timed(asked: Asked, queries: int, budget: float) -> tuple[dict[str, Any], list[list[Hit]]]:
    """The times of the queries that were warmed up, and what the warming found."""
    started = time.perf_counter()
    answers: list[list[Hit]] = []
    for place in range(queries):
        answers.append(asked(place))
        if time.perf_counter() - started > budget:
            break
    times = []
    for place in range(len(answers)):
        begun = time.perf_counter()
        asked(place)
        times.append(round((time.perf_counter() - begun) * 1e3, 4))
    return {"times_ms": times}, answers


def _judged(answers: Sequence[list[Hit]], names: Sequence[str], k: int) -> dict[str, Any]:
    """Whether as many hits come as could, and only those that the filter allows."""
    allowed = set(names)
    wanted = min(k, len(allowed))
    return {
        "matching": len(allowed),
        "fewest": min(map(len, answers)),
        "short": sum(len(hits) < wanted for hits in answers),
        "wrong": sum(hit.name not in allowed for hits in answers for hit in hits),
    }


def _answers(peer: Peer, inputs: Inputs, k: int, mode: Mode, narrow: Filter) -> list[list[Hit]]:
    return [_one(peer, inputs, k, mode, narrow, place) for place in range(len(inputs.queries))]


def _too_new(answers: Sequence[list[Hit]], documents: Sequence[Document], cutoff: int) -> int:
    dates = {document.name: document.available_at for document in documents}
    return sum(dates[hit.name] > cutoff for hits in answers for hit in hits)


def _careful(peer: Peer, one: hostile.HostileText) -> dict[str, Any]:
    """Every mode; what they raised, and whether words alone put the right document first."""
    raised: dict[str, str] = {}
    first: str | None = None
    for mode in peer.modes:
        hits, error = _tried(partial(peer.search, one.text, hostile.query_vector(), 5, mode=mode))
        if error:
            raised[mode] = error
        if mode == "lexical":
            first = hits[0].name if hits else None
    return {"raised": raised, "right": None if one.wants is None or "lexical" not in peer.modes else first == one.wants}


def _as_typed(peer: Peer, text: str) -> dict[str, Any] | None:
    offered = type(peer).search_as_typed is not Peer.search_as_typed
    return {"raised": _tried(partial(peer.search_as_typed, text, 5))[1]} if offered else None


def _tried(call: Callable[[], list[Hit] | None]) -> tuple[list[Hit], str | None]:
    """Hits, or the name of what was raised; some bindings panic with what is no Exception."""
    try:
        return call() or [], None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return [], type(error).__name__


def _unit(rows: Any) -> Vectors:
    rows = np.asarray(rows, np.float32)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)


def _share(differ: Iterable[bool]) -> float:
    every = list(differ)
    return round(sum(every) / max(1, len(every)), 4)


def _resident_megabytes() -> float | None:
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((round(int(line.split()[1]) / 1024) for line in lines if line.startswith("VmRSS:")), None)
