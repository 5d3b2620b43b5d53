"""Libraries for the tests of time; each must pass its own check when the test is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from support.fake_embedder import HashEmbedder

Opener = Callable[..., HybridLibrary]


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder(16)


@pytest.fixture
def open_library(tmp_path: Path, embedder: HashEmbedder) -> Iterator[Opener]:
    """Open a library by file name; without an embedder named, with the test's own."""
    opened: dict[Path, list[HybridLibrary]] = {}

    def open_one(name: str = "library.db", **options: Any) -> HybridLibrary:
        options.setdefault("embedder", embedder)
        path = tmp_path / name
        library = HybridLibrary.open(path, **options)
        opened.setdefault(path, []).append(library)
        return library

    yield open_one
    for path, libraries in opened.items():
        for library in libraries:
            library.close()
        with HybridLibrary.open(path, embedder=None) as library:
            report = library.check()
            assert report.ok, report.findings


@pytest.fixture
def library(open_library: Opener) -> HybridLibrary:
    return open_library()
