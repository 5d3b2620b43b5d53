"""A transaction that could not be opened leaves a connection that can open the next one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from hybridkb.database.postgres_connection import PostgresConnection
from support.own_server import OwnServer

LOCK = {"library": 1, "schema": "opening"}
OFTEN = 5
"""How often the driver sends a statement before it prepares it."""


@pytest.mark.parametrize("before", range(OFTEN - 1, OFTEN + 2))
def test_transaction_opens_after_one_that_did_not(
    server: OwnServer, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    with psycopg.connect(server.address(), autocommit=True) as raw:
        for _ in range(before):
            write(raw)
        with monkeypatch.context() as patched:
            patched.setattr(raw, "pipeline", lambda: failing(raw))
            with pytest.raises(psycopg.errors.DivisionByZero):
                write(raw)
        assert raw.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        write(raw)


def write(raw: Any) -> None:
    connection = PostgresConnection(raw)
    connection.begin("transaction/begin_immediate")
    connection.rows("transaction/lock_library", LOCK)
    connection.rows("transaction/commit")


@contextmanager
def failing(raw: Any) -> Iterator[None]:
    """A pipeline whose BEGIN the server never runs, as when it is cancelled."""
    with type(raw).pipeline(raw):
        raw.execute("SELECT 1 / 0")
        yield
