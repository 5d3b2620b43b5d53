"""The search for cycles pauses while batches are written, and is as before behind them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput
from hybridkb.ingest.uncollected import uncollected
from oracles import items


@pytest.fixture(autouse=True)
def _enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_batches_may_overlap() -> None:
    first, second = uncollected(), uncollected()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_what_the_caller_chose_stays() -> None:
    gc.disable()
    with uncollected():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_a_put_that_fails_leaves_it_as_it_was(open_library: Callable[..., HybridLibrary]) -> None:
    with open_library(embedder=None) as library:
        with pytest.raises(InvalidInput):
            library.put_many([items.note(1, "one"), items.note(2, "")])
        assert gc.isenabled()
        seen: list[bool] = []
        library.put_many([items.note(3, "text")], progress=lambda *_: seen.append(gc.isenabled()))
        assert seen == [True]
        assert gc.isenabled()
