"""Connections of their own beside the pool, and the locks of jobs that stand on them."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg_pool import ConnectionPool

from hybridkb.database.connection import Row
from hybridkb.database.postgres_address import Address
from hybridkb.errors import DatabaseUnavailable

CONNECT_SECONDS = 10
TRUSTED_SECONDS = 1.0
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


class Trusted:
    """Connections that answered a moment ago, which spares a reader the question whether they still do.

    Only who asks again when a connection is gone all the same may trust. None is trusted that answered before any
    broke: what ended one, ended others.
    """

    def __init__(self) -> None:
        self._thread = threading.local()
        self._answered: WeakKeyDictionary[psycopg.Connection[Any], float] = WeakKeyDictionary()
        self._broke = -math.inf
        self._lock = threading.Lock()

    def __contains__(self, raw: psycopg.Connection[Any]) -> bool:
        """Whether it is trusted."""
        with self._lock:
            answered = self._answered.get(raw, -math.inf)
            return answered > self._broke and answered > time.monotonic() - TRUSTED_SECONDS

    @property
    def by_this_thread(self) -> bool:
        """Whether this thread asks again when a connection is gone."""
        return getattr(self._thread, "trusting", False)

    @contextmanager
    def trusting(self) -> Iterator[None]:
        """Let this thread trust while the block runs."""
        before, self._thread.trusting = self.by_this_thread, True
        try:
            yield
        finally:
            self._thread.trusting = before

    def used(self, raw: psycopg.Connection[Any]) -> None:
        """Note whether it answered now, or broke."""
        with self._lock:
            if raw.closed:
                self._broke = time.monotonic()
            else:
                self._answered[raw] = time.monotonic()


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
