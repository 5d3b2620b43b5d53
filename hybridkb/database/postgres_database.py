"""Lends connections to a PostgreSQL server from a pool: many readers beside one writer, of any process and machine.

Reads run in one REPEATABLE READ transaction, so that every statement of an answer sees the same state. Writers of a
library take turns: each holds an advisory lock of the library from before its first statement to its commit, so what it
has read stays true, as under SQLite's one writer. What is slow (reading, analysing, embedding) is done before.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hybridkb.database.connection import Row
from hybridkb.database.database import Database
from hybridkb.database.job_lock import require_job_name
from hybridkb.database.postgres_address import Address, read_address
from hybridkb.errors import DatabaseBusy, DatabaseError, MissingExtra

try:
    import psycopg
    from psycopg_pool import ConnectionPool
except ImportError as error:
    raise MissingExtra(
        "a library on PostgreSQL needs the extra 'postgres': pip install 'hybridkb[postgres]'", extra="postgres"
    ) from error

from hybridkb.database.postgres_connection import PostgresConnection
from hybridkb.database.postgres_errors import translated
from hybridkb.database.postgres_schema import make_or_migrate, require_ready, vector_namespace
from hybridkb.database.postgres_types import adapt

CONNECT_SECONDS = 10
POOL_SECONDS = 30.0
_SESSION = {
    "statement_timeout": "300s",  # a search takes milliseconds; what outlives this is a fault
    "lock_timeout": "30s",
    "idle_in_transaction_session_timeout": "600s",  # a client that hangs must not hold the writers' lock for ever
    "jit": "off",  # compiling costs more than any statement here takes
}
_LIBRARY_LOCK = 0x68796B62  # "hykb": tells our advisory locks from those of others
_JOB_STEP_SECONDS = 0.05


class PostgresDatabase(Database):
    """One namespace of a database on a server, shared between threads."""

    engine = "postgres"

    def __init__(self, url: str, *, read_only: bool = False, create: bool = True) -> None:
        """Connect, and create or migrate the namespace where this role owns it.

        Raises:
            DatabaseUnavailable: the server cannot be reached, or refuses this user.
            DatabaseError: pgvector is missing, or the role may not make what is missing.
            SchemaTooNew, SchemaTooOld: another hybridkb made it.
            InvalidInput: not an address.
        """
        self._address: Address = read_address(url)
        self.path = self._address.shown
        self.read_only = read_only
        self._write_lock = threading.RLock()
        self._process = os.getpid()
        self._closed = False
        self._own_timeouts = _own_options(self._address)
        with translated(self.path):
            self.created = self._prepare(create and not read_only)
            self._pool = ConnectionPool(
                self._address.conninfo,
                min_size=1,
                max_size=self._address.pool,
                open=True,
                configure=self._configure,
                check=ConnectionPool.check_connection,
                timeout=POOL_SECONDS,
                name=f"hybridkb-{self._address.schema}",
                kwargs=_connect_arguments(),
            )

    def _prepare(self, create: bool) -> bool:
        with psycopg.connect(self._address.conninfo, **_connect_arguments()) as raw:
            if not create:
                self._configure(raw)
                require_ready(PostgresConnection(raw), self._address.schema, self.path)
                return False
            return make_or_migrate(raw, self._address.schema, self.path, configure=self._configure)

    def _configure(self, raw: psycopg.Connection[Any]) -> None:
        """Make a connection's settings. The namespace comes first in its search path, and nobody else's does."""
        connection = PostgresConnection(raw)
        for name, value in _SESSION.items():
            if name not in self._own_timeouts:
                connection.rows("schema/set_session", {"name": name, "value": value})
        path = ", ".join(f'"{name}"' for name in (self._address.schema, vector_namespace(raw)) if name)
        connection.rows("schema/set_session", {"name": "search_path", "value": path})
        adapt(raw)

    @contextmanager
    def read(self) -> Iterator[PostgresConnection]:
        with self._lent() as connection:
            connection.rows("transaction/begin")
            try:
                yield connection
            finally:
                _roll_back(connection)

    @contextmanager
    def write(self, *, committed: Callable[[], None] | None = None) -> Iterator[PostgresConnection]:
        if self.read_only:
            raise DatabaseError(
                f"{self.path}: the library is open read-only; open it without read_only to write", path=self.path
            )
        with self._write_lock, self._lent() as connection:
            connection.rows("transaction/begin_immediate")
            try:
                connection.rows("transaction/lock_library", {"library": _LIBRARY_LOCK, "schema": self._address.schema})
                yield connection
                connection.rows("transaction/commit")
            except BaseException:
                _roll_back(connection)
                raise
            if committed is not None:
                committed()

    @contextmanager
    def outside_transaction(self) -> Iterator[PostgresConnection]:
        with self._write_lock, self._lent() as connection:
            yield connection

    @contextmanager
    def job_lock(self, name: str, *, wait_seconds: float) -> Iterator[float]:
        require_job_name(name)
        job = {"library": _LIBRARY_LOCK, "job": f"{self._address.schema}/{name}"}
        with translated(self.path), psycopg.connect(self._address.conninfo, **_connect_arguments()) as raw:
            self._configure(raw)
            connection, started = PostgresConnection(raw), time.monotonic()
            while not connection.value("transaction/try_job_lock", job):
                waited = time.monotonic() - started
                if waited >= wait_seconds:
                    raise DatabaseBusy(
                        f"{self.path}: another client is at the job {name!r} and did not end within {wait_seconds:g} "
                        "s; try again when it is done",
                        path=self.path,
                    )
                time.sleep(min(_JOB_STEP_SECONDS, wait_seconds - waited))
            yield time.monotonic() - started  # closing the connection frees the lock, however the block ends

    def copy_to(self, target: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        raise DatabaseError(
            f"{self.path}: a library on a server is no file that could be copied; make a file of it with "
            "hybridkb copy, and work on that",
            path=self.path,
        )

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._process == os.getpid():
            self._pool.close()

    @contextmanager
    def _lent(self) -> Iterator[PostgresConnection]:
        self._require_usable()
        with translated(self.path):
            raw = self._pool.getconn()
            try:
                yield PostgresConnection(raw)
            finally:
                self._pool.putconn(raw)

    def _require_usable(self) -> None:
        if self._closed:
            raise DatabaseError(f"{self.path}: the library is closed; open it again", path=self.path)
        if self._process != os.getpid():
            raise DatabaseError(
                f"{self.path}: the library was opened before this process was forked; open it again in the child",
                path=self.path,
            )


def _connect_arguments() -> dict[str, Any]:
    return {"autocommit": True, "connect_timeout": CONNECT_SECONDS, "application_name": "hybridkb", "row_factory": _row}


def _row(cursor: psycopg.Cursor[Any]) -> Callable[..., Row]:
    return psycopg.rows.tuple_row(cursor)


def _own_options(address: Address) -> frozenset[str]:
    """Session settings that the address itself makes."""
    options = str(psycopg.conninfo.conninfo_to_dict(address.conninfo).get("options") or "")
    return frozenset(name for name in _SESSION if f"{name}=" in options.replace(" ", ""))


def _roll_back(connection: PostgresConnection) -> None:
    if connection.in_transaction and not connection.raw.closed:
        connection.rows("transaction/rollback")
