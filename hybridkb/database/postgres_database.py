"""Lends connections to a PostgreSQL server from a pool: many readers beside one writer, of any process and machine.

Reads run in one REPEATABLE READ transaction, so that every statement of an answer sees the same state. Writers of a
library take turns: each holds an advisory lock of the library from before its first statement to its commit, so what it
has read stays true, as under SQLite's one writer. What is slow (reading, analysing, embedding) is done before.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from hybridkb.database.connection import Connection, Row
from hybridkb.database.database import Database
from hybridkb.database.job_lock import require_job_name
from hybridkb.database.postgres_address import Address, read_address
from hybridkb.database.stopping import Stopped, interruptible, require_wanted
from hybridkb.errors import DatabaseBusy, DatabaseError, DatabaseUnavailable, MissingExtra

try:
    import psycopg
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError as error:
    raise MissingExtra(
        "a library on PostgreSQL needs the extra 'postgres': pip install 'hybridkb[postgres]'", extra="postgres"
    ) from error

from hybridkb.database.postgres_connection import PostgresConnection
from hybridkb.database.postgres_errors import is_undone, translated
from hybridkb.database.postgres_schema import Vectors, find_vectors, make_or_migrate, require_ready, why_no_writes
from hybridkb.database.postgres_sessions import Jobs, Trusted, connect_arguments, connected
from hybridkb.database.postgres_sibling import PostgresSibling
from hybridkb.database.postgres_types import adapt

CANCEL_SECONDS = 10.0
ATTEMPTS = 4
"""How often a write is tried that the server undid for the sake of another client."""
_SESSION = {
    "statement_timeout": "300s",  # a search takes milliseconds; what outlives this is a fault
    "lock_timeout": "30s",
    "idle_in_transaction_session_timeout": "600s",  # a client that hangs must not hold the writers' lock for ever
    "jit": "off",  # compiling costs more than any statement here takes
}
_LIBRARY_LOCK = 0x68796B62  # "hykb": tells our advisory locks from those of others
_JOB_STEP_SECONDS = 0.05

Answer = TypeVar("Answer")


class PostgresDatabase(Database):
    """One namespace of a database on a server, shared between threads."""

    engine = "postgres"

    def __init__(self, url: str, *, read_only: bool = False, create: bool = True) -> None:
        """Connect, and create or migrate the namespace where this role owns it.

        Raises:
            DatabaseUnavailable: the server cannot be reached, or refuses this user.
            DatabaseError: pgvector is missing, or the role may not make what is missing, or may not read.
            SchemaTooNew, SchemaTooOld: another hybridkb made it.
            InvalidInput: not an address.
        """
        self._address: Address = read_address(url)
        self.path = self._address.shown
        self.read_only = read_only
        self._write_lock = threading.RLock()
        self._process = os.getpid()
        self._closed = False
        self._vectors: Vectors | None = None
        self.jobs = Jobs()
        self._trusted = Trusted()
        self._counting = threading.Lock()
        self._in_use = 0
        with translated(self.path):
            self.created = self._prepare(create and not read_only)
            self._pool = ConnectionPool(
                self._address.conninfo,
                min_size=1,
                max_size=self._address.pool,
                open=True,
                configure=self._configure,
                timeout=self._address.wait,
                name=f"hybridkb-{self._address.schema}",
                kwargs=connect_arguments(self._address),
            )

    @property
    def concurrency(self) -> int:
        return self._address.pool

    def _prepare(self, create: bool) -> bool:
        with connected(self._address) as raw:
            if create:
                made = make_or_migrate(raw, self._address.schema, self.path, configure=self._configure)
            else:
                self._configure(raw)
                require_ready(PostgresConnection(raw), self._address.schema, self.path)
                made = False
            self._configure(raw)
            self._may_write = why_no_writes(PostgresConnection(raw)) is None
            return made

    def _configure(self, raw: psycopg.Connection[Any]) -> None:
        """Make a connection's settings. Nobody else's namespace is in its search path."""
        connection = PostgresConnection(raw)
        connection.rows("schema/set_session", {"settings": json.dumps(_SESSION)})
        connection.rows("schema/set_path", {"schema": self._address.schema})
        if self._vectors is None:
            self._vectors = find_vectors(raw)
        adapt(raw, None if self._vectors is None else self._vectors.halfvec)

    @contextmanager
    def read(self) -> Iterator[PostgresConnection]:
        with self._lent(trusting=self._trusted.by_this_thread) as connection:
            connection.begin("transaction/begin")
            try:
                yield connection
            finally:
                _roll_back(connection)

    def repeated(self, read: Callable[[], Answer]) -> Answer:
        for _ in range(1, ATTEMPTS):
            try:
                with self._trusted.trusting():
                    return read()
            except DatabaseUnavailable as error:
                if not error.broke:
                    raise
                break
            except DatabaseBusy as error:
                if not is_undone(error):  # as a standby does that must go on
                    raise
        return read()  # waits, as every call does, until the server takes connections again

    @contextmanager
    def write(self, *, committed: Callable[[], None] | None = None) -> Iterator[PostgresConnection]:
        self._require_writable()
        with self._write_lock, self._lent() as connection:
            self.jobs.require_held(self.path)
            connection.begin("transaction/begin_immediate")
            try:
                connection.rows("transaction/lock_library", {"library": _LIBRARY_LOCK, "schema": self._address.schema})
                yield connection
                connection.rows("transaction/commit")
            except BaseException:
                _roll_back(connection)
                raise
            if committed is not None:
                committed()

    def writing(self, body: Callable[[Connection], Answer], *, committed: Callable[[], None] | None = None) -> Answer:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self.write(committed=committed) as connection:
                    return body(connection)
            except DatabaseBusy as error:
                if attempt == ATTEMPTS or not is_undone(error):
                    raise
        raise AssertionError("unreachable")

    @contextmanager
    def outside_transaction(self) -> Iterator[PostgresConnection]:
        self._require_writable()
        with self._write_lock, self._lent() as connection:
            yield connection

    @contextmanager
    def long_work(self, *, writing: bool = True) -> Iterator[PostgresConnection]:
        """Lend a connection of its own with no transaction open, for hours of work beside readers and writers.

        Without ``writing`` it is lent beside a library that is open read-only, too, which it must leave as it is.
        """
        if writing:
            self._require_writable()
        self._require_usable()
        with translated(self.path), connected(self._address) as raw:
            self._configure(raw)
            with translated(self.path, of=raw), interruptible(lambda: _cancel(raw)):
                yield PostgresConnection(raw, vectors=self._vectors and self._vectors.namespace)

    @contextmanager
    def job_lock(self, name: str, *, wait_seconds: float) -> Iterator[float]:
        require_job_name(name)
        self._require_usable()
        job = {"library": _LIBRARY_LOCK, "job": f"{self._address.schema}/{name}"}
        with translated(self.path), connected(self._address) as raw, interruptible(lambda: _cancel(raw)):
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
            try:
                with self.jobs.held(raw, name):
                    yield time.monotonic() - started
            finally:
                _let_go(connection, job)

    def sibling(self, kind: str) -> PostgresSibling:
        return PostgresSibling(self, self._address, kind)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._process == os.getpid():
            self._pool.close()

    @contextmanager
    def _lent(self, *, trusting: bool = False) -> Iterator[PostgresConnection]:
        self._require_usable()
        with translated(self.path):
            require_wanted()
            with self._taken(trusting) as raw, translated(self.path, of=raw), interruptible(lambda: _cancel(raw)):
                yield PostgresConnection(raw, vectors=self._vectors and self._vectors.namespace)

    @contextmanager
    def _taken(self, trusting: bool) -> Iterator[psycopg.Connection[Row]]:
        """A connection of the pool; one of its own while the pool, which waits longer each time that a server was
        away, has not noticed yet that it is back."""
        try:
            raw = self._alive(trusting)
        except PoolTimeout:
            if self._in_use >= self._address.pool:
                raise
            with connected(self._address) as own:  # raises what keeps the pool from connecting, if that is why
                self._configure(own)
                yield own
            return
        with self._counting:
            self._in_use += 1
        try:
            yield raw
        finally:
            with self._counting:
                self._in_use -= 1
            self._trusted.used(raw)
            self._pool.putconn(raw)

    def _alive(self, trusting: bool) -> psycopg.Connection[Row]:
        """A connection of the pool that answers; with ``trusting``, one that answered a moment ago is not asked."""
        while True:
            raw = self._pool.getconn()
            if trusting and raw in self._trusted:
                return raw
            try:
                ConnectionPool.check_connection(raw)
            except BaseException as error:
                self._pool.putconn(raw)  # which replaces one that broke
                if not isinstance(error, psycopg.Error):
                    raise
            else:
                return raw

    def _require_writable(self) -> None:
        self._refuse_if_read_only()
        if self._may_write:
            return
        with self._lent() as connection:  # a standby may have been promoted, or the role granted more
            why = why_no_writes(connection)
        if why is not None:
            raise DatabaseError(f"{self.path}: {why}", path=self.path)
        self._may_write = True


def _cancel(raw: psycopg.Connection[Row]) -> None:
    with suppress(psycopg.Error):  # no server to ask: then the statement ends by itself
        raw.cancel_safe(timeout=CANCEL_SECONDS)


def _let_go(connection: PostgresConnection, job: dict[str, Any]) -> None:
    """Free the lock of a job now. Closing the connection does so too, but its session ends a moment later."""
    with suppress(psycopg.Error, Stopped):
        connection.rows("transaction/free_job_lock", job)


def _roll_back(connection: PostgresConnection) -> None:
    """End a transaction that may have lost its connection: what ended it is told, not what that led to."""
    try:
        if connection.in_transaction:
            connection.raw.rollback()
    except psycopg.Error:
        connection.close()
