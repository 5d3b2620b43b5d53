"""Whatever befell a library, its copy answers as it does, and so does the copy of the copy."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybridkb import HybridLibrary
from hybridkb.copying import copy_library
from hybridkb.errors import HybridKBError
from oracles.items import item_id
from properties.worlds import (
    Delete,
    DeletePaper,
    MakeCurrent,
    Purge,
    PurgePaper,
    Put,
    PutPaper,
    Question,
    Step,
    Upkeep,
    questions,
    steps,
)
from support.fake_embedder import HashEmbedder

EXAMPLES = int(os.environ.get("HYBRIDKB_EXAMPLES", "8"))
MODES = ("lexical", "semantic", "hybrid")


def befall(library: HybridLibrary, embedder: HashEmbedder, step: Step) -> None:
    match step:
        case Put():
            library.put(step.item)
        case PutPaper():
            library.put_paper(step.result, require_embeddings=False)
        case Delete():
            library.delete(item_id(step.name), at=step.at)
        case DeletePaper():
            library.delete(step.source_id, at=step.at)
        case Purge():
            library.purge(item_id(step.name))
        case PurgePaper():
            library.purge(step.owner)
        case MakeCurrent():
            library.make_current(step.artifact_id)
        case Upkeep(kind="optimize"):
            library.optimize()
        case Upkeep(kind="rebuild"):
            library.rebuild()
        case Upkeep(kind="embedder fails"):
            embedder.fail_with = ConnectionError("down")
        case Upkeep(kind="embedder answers"):
            embedder.fail_with = None


def answers(place: str | Path, asked: list[Question]) -> Any:
    with HybridLibrary.open(place, embedder=HashEmbedder(12)) as library:
        report = library.check()
        assert report.ok, report.findings
        found = [
            library.search(
                one.text, mode=mode, top_k=one.top_k, fusion=one.fusion, collapse=one.collapse,
                min_score=one.min_score, match=one.match, **one.filters,
            )
            for one in asked for mode in MODES
        ]  # fmt: skip
        return found, [one.fingerprint for one in found], list(library.export()), library.audit()


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(what_befell=steps, asked=st.lists(questions, min_size=1, max_size=3))
def test_copies_of_any_library_answer_as_it_does(
    postgres: Callable[[], str], what_befell: list[Step], asked: list[Question]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, address, second = Path(folder) / "first.db", postgres(), Path(folder) / "second.db"
        embedder = HashEmbedder(12)
        with HybridLibrary.open(first, embedder=embedder) as library:
            for step in what_befell:
                with suppress(HybridKBError):
                    befall(library, embedder, step)
        there, back = copy_library(first, address), copy_library(address, second)
        assert there.digests == back.digests
        said = answers(first, asked)
        assert said == answers(address, asked)
        assert said == answers(second, asked)
