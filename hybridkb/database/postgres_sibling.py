"""A copy beside a library on a server: the namespace ``equities_candidate`` beside ``equities``, in the same database.

It is made by one transaction of the server, which copies every table into new ones: no row travels through this
process, all rows are of one snapshot, and until it commits nobody sees any of it. So there is no half-made copy,
however it ends. A namespace of this name may be anybody's: nothing is dropped that does not itself say that it is such
a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import psycopg

from hybridkb.database.connection import Connection, Row
from hybridkb.database.postgres_address import Address, sibling_address
from hybridkb.database.postgres_connection import PostgresConnection
from hybridkb.database.postgres_schema import make_tables, may_not_make
from hybridkb.database.postgres_text import quoted_name
from hybridkb.database.sibling import CopyProgress, Sibling
from hybridkb.errors import BrokenInvariant, DatabaseError

if TYPE_CHECKING:
    from hybridkb.database.postgres_database import PostgresDatabase

_PAGE_BYTES = 8192


class _Found(NamedTuple):
    """What stands under the name: whose it is, whether it is this role's, and whether it says that it is such a copy.

    ``is_copy`` is None where this role may not look.
    """

    owner: str
    is_ours: bool
    is_copy: bool | None


class _Table(NamedTuple):
    """A table to copy: its name and columns as SQL writes them, and how large the library's is."""

    name: str
    columns: str
    bytes: int


class PostgresSibling(Sibling):
    """One namespace beside another."""

    def __init__(self, library: PostgresDatabase, address: Address, kind: str) -> None:
        """Name the place of the copy of that ``kind`` beside an open library at ``address``."""
        self._library = library
        self._source = address.schema
        self._kind = kind
        self._own = sibling_address(address, kind)
        self.path = self._own.shown
        self.address = self._own.url

    def is_there(self) -> bool:
        with self._library.read() as connection:
            return self._find(connection) is not None

    def open(self) -> PostgresDatabase | None:
        with self._library.read() as connection:
            found = self._find(connection)
        if found is None or not self._readable(found):
            return None
        return type(self._library)(self.address, create=False)

    def require_room(self) -> None:
        with self._library.read() as connection:
            self._require_replaceable(self._find(connection))
            self._owner(connection)

    def make(self, prepare: Callable[[Connection], None], *, progress: CopyProgress | None = None) -> None:
        with self._library.long_work() as connection:
            _end_with_this_process(connection)
            connection.raw.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            with connection.raw.transaction():
                connection.rows("copy/take_time")
                numbers: dict[str, int] = dict(connection.rows("copy/numbers"))
                older = self._set_aside(connection, numbers)
                self._make_namespace(connection)
                self._copy_tables(connection, progress)
                for table, number in numbers.items():
                    if number:
                        connection.rows("copy/set_number", {"table": table, "number": number})
                connection.rows("sibling/set_state")
                connection.rows("copy/settle")
                prepare(connection)
                if older is not None:
                    self._run(connection, "drop_namespace", namespace=older)
                self._library.jobs.require_held(self._library.path)

    def remove(self) -> bool:
        with self._library.long_work(writing=False) as connection, connection.raw.transaction():
            found = self._find(connection)
            self._require_replaceable(found)
            if found is None:
                return False
            self._run(connection, "drop_namespace", namespace=self._own.schema)
        return True

    def job_lock(self, name: str, *, wait_seconds: float) -> AbstractContextManager[float]:
        return self._library.job_lock(name, wait_seconds=wait_seconds)

    def _find(self, connection: PostgresConnection) -> _Found | None:
        there, owner, ours, like_library, readable = connection.row(
            "sibling/look", {"schema": self._own.schema}
        ) or (False, "", False, False, False)
        if not there:
            return None
        if not like_library:
            return _Found(owner, ours, is_copy=False)
        if not readable:
            return _Found(owner, ours, is_copy=None)
        noted = self._run(connection, "note", {"name": self._kind}, namespace=self._own.schema)
        return _Found(owner, ours, is_copy=bool(noted))

    def _readable(self, found: _Found) -> bool:
        """Whether it is such a copy.

        Raises:
            DatabaseError: this role may not look.
        """
        if found.is_copy is None:
            raise DatabaseError(
                f"{self.path}: the namespace {self._own.schema!r} looks like a {self._kind} and belongs to the role "
                f"{found.owner!r}; this role may not read it: go on as {found.owner!r}",
                path=self.path,
            )
        return found.is_copy

    def _require_replaceable(self, found: _Found | None) -> None:
        if found is None:
            return
        if not self._readable(found):
            raise BrokenInvariant(
                f"{self.path} is no {self._kind} of this library: the namespace {self._own.schema!r} belongs to the "
                f"role {found.owner!r} and holds something else, which is left alone; rename it (ALTER SCHEMA "
                f"{quoted_name(self._own.schema)} RENAME TO ...), or drop it if nobody needs it",
                path=self.path,
            )
        if not found.is_ours:
            raise DatabaseError(
                f"{self.path}: this {self._kind} belongs to the role {found.owner!r}, and only that role may replace "
                f"or remove it; go on as {found.owner!r}",
                path=self.path,
            )

    def _owner(self, connection: PostgresConnection) -> tuple[str, bool]:
        """The role that is to own the copy, the library's owner where this role may act as it; and whether that one
        has to make the namespace itself.

        Raises:
            DatabaseError: neither may make namespaces in this database.
        """
        rights = connection.row("sibling/rights", {"schema": self._source})
        assert rights is not None  # the library stands in it
        own, owner, may_act, may_make, owner_may = rights
        if not may_make and not (may_act and owner_may):
            what = f"the {self._kind}, a copy of the library in a namespace of its own"
            raise DatabaseError(
                f"{self.path}: {may_not_make(connection, self._own.schema)} ({what})", path=self.path
            )
        return (owner if may_act else own), not may_make

    def _set_aside(self, connection: PostgresConnection, numbers: dict[str, int]) -> str | None:
        """Give an older copy another name, under which it is dropped at the end; returns that.

        Numbers of its vectors are not given again: who has it open keeps some by their numbers.
        """
        found = self._find(connection)
        self._require_replaceable(found)
        if found is None:
            return None
        ((highest,),) = self._run(connection, "highest_vector", namespace=self._own.schema)
        numbers["embedding"] = max(numbers["embedding"], highest)
        other = f"replaced_{blake2b(self._own.schema.encode(), digest_size=16).hexdigest()}"
        self._run(connection, "rename_namespace", namespace=self._own.schema, other=other)
        return other

    def _make_namespace(self, connection: PostgresConnection) -> None:
        owner, by_itself = self._owner(connection)
        if by_itself:
            connection.rows("schema/act_as", {"owner": owner})
        self._run(connection, "make_namespace", namespace=self._own.schema, owner=owner)
        connection.rows("schema/act_as", {"owner": owner})
        connection.rows("schema/set_path", {"schema": self._own.schema})
        make_tables(connection)

    def _copy_tables(self, connection: PostgresConnection, progress: CopyProgress | None) -> None:
        named = {"schema": self._own.schema, "library": self._source}
        tables = [_Table(*row) for row in connection.rows("sibling/tables", named)]
        done, total = 0, sum(table.bytes for table in tables)
        connection.rows("copy/drop_words_index")  # built at once over all words, it takes a third of the time
        for table in tables:
            for name in ("empty", "triggers_off", "copy_rows", "triggers_on"):  # a new library is not quite empty
                text = connection.statement(f"sibling/{name}").replace("{table}", table.name)
                text = text.replace("{columns}", table.columns).replace("{library}", quoted_name(self._source))
                connection.text_rows(text)
            done += table.bytes
            if progress is not None:
                progress(done // _PAGE_BYTES, total // _PAGE_BYTES)
        connection.rows("copy/make_words_index")

    def _run(
        self, connection: PostgresConnection, name: str, bindings: dict[str, str] | None = None, **names: str
    ) -> list[Row]:
        """Run a statement that is templated with names of namespaces and roles, which are quoted."""
        text = connection.statement(f"sibling/{name}")
        for place, one in names.items():
            text = text.replace(f"{{{place}}}", quoted_name(one))
        return connection.text_rows(text, bindings or ())


def _end_with_this_process(connection: PostgresConnection) -> None:
    """Let the server look, while it copies, whether this process still waits for it; where it can do that."""
    with suppress(psycopg.Error):
        connection.rows("sibling/watch_client")
