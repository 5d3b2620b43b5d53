"""Connections of their own beside the pool, and the locks of jobs that stand on them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool

from hybridkb.database.connection import Row
from hybridkb.database.postgres_address import Address
from hybridkb.errors import DatabaseUnavailable

CONNECT_SECONDS = 10
_ALIVE = {"keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 6, "tcp_user_timeout": 120_000}
"""A server that vanished without a word (a cut cable) is noticed within two minutes; the address may say otherwise."""


class Jobs(threading.local):
    """The locks of jobs that a thread holds. The server frees one when its connection breaks, unasked."""

    def __init__(self) -> None:
        self._connections: list[tuple[str, psycopg.Connection[Row]]] = []

    @contextmanager
    def held(self, raw: psycopg.Connection[Row], name: str) -> Iterator[None]:
        """Note that this connection holds the lock of a job while the block runs."""
        self._connections.append((name, raw))
        try:
            yield
        finally:
            self._connections.pop()

    def require_held(self, shown: str) -> None:
        """Write nothing more for a job whose lock may be another client's by now."""
        for name, raw in self._connections:
            try:
                ConnectionPool.check_connection(raw)
            except psycopg.Error as error:
                raise DatabaseUnavailable(
                    f"{shown}: the lock of the job {name!r} was lost with its connection; what was committed stays: "
                    "start the job again",
                    path=shown,
                    broke=True,
                ) from error


@contextmanager
def connected(address: Address) -> Iterator[psycopg.Connection[Row]]:
    """A connection of its own, closed when the block ends, also when it broke inside."""
    raw = psycopg.connect(address.conninfo, **connect_arguments(address))
    try:
        yield raw
    finally:
        raw.close()


def connect_arguments(address: Address) -> dict[str, Any]:
    """What a connection is made with besides its address; what that says wins."""
    said = psycopg.conninfo.conninfo_to_dict(address.conninfo)
    ours = {"connect_timeout": CONNECT_SECONDS, "application_name": "hybridkb", **_ALIVE}
    usual = {name: value for name, value in ours.items() if name not in said}
    return {"autocommit": True, "row_factory": _row, **usual}


def _row(cursor: psycopg.Cursor[Any]) -> Callable[..., Row]:
    return psycopg.rows.tuple_row(cursor)
