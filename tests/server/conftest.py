"""Servers that tests of this folder may stop, restart and misconfigure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from support.own_server import OwnServer, own_server

_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[OwnServer]:
    """A server of this process's own; every test leaves it running."""
    with own_server() as running:
        yield running


@pytest.fixture
def address(server: OwnServer) -> Iterator[str]:
    """The address of a namespace that is this test's own; it is dropped afterwards."""
    schema = f"own{next(_numbers)}"
    yield server.address(schema)
    server.sql(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
