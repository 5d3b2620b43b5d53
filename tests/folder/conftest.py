"""Every desk of a test ends with a whole library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from folder.desk import Desk
from hybridkb import HybridLibrary


@pytest.fixture
def make_desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    made: list[Desk] = []

    def make(name: str = "desk", **options: Any) -> Desk:
        place = tmp_path / name
        place.mkdir()
        made.append(Desk(place, **options))
        return made[-1]

    yield make
    for desk in made:
        desk.knowledge.close()
        if desk.index.exists():
            with HybridLibrary.open(desk.index, embedder=None) as library:
                report = library.check()
                assert report.ok, report.findings


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files count as unchanged although they were written a moment ago."""
    monkeypatch.setattr("hybridkb.folder.look.RACY_NS", -1)
