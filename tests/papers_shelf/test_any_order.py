"""Whatever is done to papers in whatever order: the library stays whole, and an export makes an equal one of it."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput, NotFound
from oracles.items import day
from support.papers import PAGES, make_result, make_source

REREAD = ((*PAGES[0], ("text", "A footnote that another reader missed.")), *PAGES[1:])
QUESTION = "attention recurrence BLEU footnote"


def step(draw: random.Random, library: HybridLibrary) -> None:
    """One thing that may be done to one of two papers."""
    name, when = draw.choice("ab"), draw.choice([None, 1, 2, 3, 5, 8])
    available_at = None if when is None else day(when)
    source_id = make_source(name)[0].id
    kind = draw.choices(["put", "delete", "purge", "current", "optimize", "rebuild"], [50, 18, 10, 10, 3, 3])[0]
    if kind == "put":
        library.put_paper(
            make_result(
                name, draw.choice([PAGES, PAGES, REREAD]), available_at=available_at, prompt=draw.choice("12"),
                blocks_per_chunk=draw.choice([1, 2]), title=draw.choice(["One", "Two"]), tree=draw.random() < 0.5,
                summary=draw.choice([None, "Some words.", "Other words."]), arxiv_id=f"1706.0000{name == 'b':d}v1",
            )
        )  # fmt: skip
        return
    artifacts = [one.artifact_id for one in library.get_paper(source_id).artifacts]
    any_of_it = draw.choice([source_id, *artifacts, *artifacts])
    if kind == "delete":
        library.delete(any_of_it, at=available_at or day(9))
    elif kind == "purge":
        library.purge(any_of_it)
    elif kind == "current":
        library.make_current(any_of_it)
    else:
        getattr(library, kind)()


def work(draw: random.Random, library: HybridLibrary, steps: int) -> None:
    for _ in range(steps):
        with suppress(InvalidInput, NotFound):
            step(draw, library)
        library.check().raise_if_broken()


def answers(library: HybridLibrary) -> list[Any]:
    asked: list[dict[str, Any]] = [{}, *({"available_at_before": day(when)} for when in (1, 2, 4, 9))]
    return [
        [(str(hit.locator), hit.score.hex(), hit.title, hit.citations) for hit in library.search(QUESTION, **one)]
        for one in asked
    ]


@pytest.mark.parametrize("seed", [5, 10, 17, 29, 34, 41])
def test_any_order_of_steps_leaves_it_whole(open_library: Any, seed: int) -> None:
    library, restored, partial = (open_library(f"{name}.db") for name in ("first", "restored", "partial"))
    work(random.Random(seed), library, 14)
    expected = answers(library)
    library.rebuild()
    assert answers(library) == expected
    lines = list(library.export())
    restored.import_lines(lines)
    assert (list(restored.export()), answers(restored)) == (lines, expected)
    work(random.Random(-seed - 1), partial, 6)
    partial.import_lines(lines, on_error="skip")
    partial.check().raise_if_broken()
    merged = list(partial.export())
    partial.import_lines(lines, on_error="skip")
    assert list(partial.export()) == merged
    again = open_library("again.db")
    again.import_lines(merged)
    assert list(again.export()) == merged
