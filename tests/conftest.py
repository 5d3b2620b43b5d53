"""What holds for every test: no settings from outside, no network beyond this machine, no chance.

Property tests try the same examples in every run; ``HYPOTHESIS_PROFILE=explore`` tries new ones.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from hybridkb import HybridLibrary
from support.fake_embedder import HashEmbedder

pytest_plugins = ["support.postgres"]

settings.register_profile("stable", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "stable"))

Opener = Callable[..., HybridLibrary]
OUTSIDE = ("HYBRIDKB_", "OPENAI_")


@pytest.fixture(autouse=True, scope="session")
def sealed_environment() -> Iterator[None]:
    """Hide the user's own settings and keys, and refuse connections to other machines."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(OUTSIDE):
                patch.delenv(name)
        patch.setattr(socket.socket, "connect", _only_here(socket.socket.connect))
        yield


def _only_here(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if host != "localhost" and not _is_loopback(host):
            raise OSError(f"tests reach no other machine, not even {host}")
        return connect(self, address)

    return guarded


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder(16)


@pytest.fixture
def open_library(tmp_path: Path, embedder: HashEmbedder) -> Iterator[Opener]:
    """Open a library by file name; without an embedder named, with the test's own. It must pass its own check."""
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
