"""A desk in a library, and the same file for servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from tools.desks import desk_items


@pytest.fixture
def desk(library: HybridLibrary) -> HybridLibrary:
    library.put_many(desk_items())
    return library


@pytest.fixture
def desk_file(tmp_path: Path) -> Path:
    """A library without vectors, closed."""
    path = tmp_path / "desk.db"
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_many(desk_items())
    return path
