"""The server fails in every way it can: nothing is lost or doubled, errors say what to do, and the library goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg_pool import PoolTimeout

from hybridkb import HybridLibrary
from hybridkb.database.connection import Connection
from hybridkb.database.postgres_connection import PostgresConnection
from hybridkb.errors import DatabaseBusy, DatabaseError, DatabaseUnavailable, HybridKBError, SchemaTooNew, SchemaTooOld
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder
from support.own_server import OwnServer

WAIT = 20.0


def library_at(address: str, **options: Any) -> HybridLibrary:
    options.setdefault("embedder", HashEmbedder(8))
    return HybridLibrary.open(address, **options)


@contextmanager
def before_statement(monkeypatch: pytest.MonkeyPatch, name: str, strike: Callable[[], object]) -> Iterator[list[str]]:
    """Do something once, right before the statement of that name is sent; gives a list of what was struck."""
    struck: list[str] = []
    told = PostgresConnection.statement

    def statement(self: PostgresConnection, asked: str) -> str:
        if asked == name and not struck:
            struck.append(asked)
            strike()
        return told(self, asked)

    with monkeypatch.context() as patch:
        patch.setattr(PostgresConnection, "statement", statement)
        yield struck
    assert struck == [name], f"{name} was never sent"


MIDDLE_OF_PUT = ("transaction/lock_library", "canonical/insert_item", "lexical/insert_words", "vector/insert_embedding",
                 "resident/log_change", "transaction/commit")  # fmt: skip
MIDDLE_OF_SEARCH = ("state/get", "filters/confirm", "records/hydrate", "records/locators")
STRIKES = {"restarted": lambda server: server.restart(), "cut": lambda server: server.end_sessions()}


@pytest.fixture
def library(address: str) -> Iterator[HybridLibrary]:
    with library_at(address) as library:
        library.put_many([note(n, f"copper gap {n}", title=f"Note {n}") for n in range(20)])
        yield library
        assert library.check().ok, library.check().findings


@pytest.mark.parametrize("how", STRIKES)
@pytest.mark.parametrize("where", MIDDLE_OF_PUT)
def test_put_that_is_struck_is_undone_and_may_be_done_again(
    server: OwnServer, library: HybridLibrary, monkeypatch: pytest.MonkeyPatch, how: str, where: str
) -> None:
    changed = [note(n, f"zinc supply {n}", available_at=day(1)) for n in range(15, 25)]
    before = library.stats()
    says = "connection to the server broke.*doing the same again is safe"
    struck = before_statement(monkeypatch, where, lambda: STRIKES[how](server))
    with struck, pytest.raises(DatabaseUnavailable, match=says) as told:
        library.put_many(changed)
    assert told.value.broke
    assert told.value.path
    assert "Connection" not in type(told.value.__context__).__name__
    assert library.stats().items == before.items == 20
    assert len(library.search("zinc", mode="lexical")) == 0
    report = library.put_many(changed)
    assert (report.added, report.revised) == (5, 5)
    assert library.put_many(changed).unchanged == 10
    assert len(library.search("zinc", mode="lexical", top_k=20)) == 10
    assert library.stats().items == 25


@pytest.mark.parametrize("how", STRIKES)
@pytest.mark.parametrize("where", MIDDLE_OF_SEARCH)
def test_search_that_is_struck_answers_all_the_same(
    server: OwnServer, library: HybridLibrary, monkeypatch: pytest.MonkeyPatch, how: str, where: str
) -> None:
    alone = library.search("copper gap 7")
    with before_statement(monkeypatch, where, lambda: STRIKES[how](server)):
        again = library.search("copper gap 7")
    assert again == alone


def test_every_reading_method_is_repeated_when_its_connection_breaks(
    server: OwnServer, library: HybridLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = PostgresConnection._run
    snapshot = library.snapshot(at=day(2))
    reads: list[Callable[[], object]] = [
        lambda: library.get(item_id(3)), lambda: library.history(item_id(3)), lambda: library.stats(),
        lambda: library.resolve(f"item:{item_id(3)}"), lambda: library.list_items(),
        lambda: library.list_values("tags"),
        lambda: library.count(item_types=["note"]), lambda: library.settings, lambda: library.inventory().items,
        lambda: snapshot.get(item_id(3)), lambda: snapshot.search("copper"), lambda: snapshot.stats(),
    ]  # fmt: skip
    for read in reads:
        expected = read()
        struck: list[str] = []

        def strike(connection: Any, sql: str, bindings: Any = (), struck: list[str] = struck) -> Any:
            if not sql.lstrip().upper().startswith(("BEGIN", "ROLLBACK")) and not struck:
                struck.append(sql)
                server.end_sessions()
            return run(connection, sql, bindings)

        with monkeypatch.context() as patch:
            patch.setattr(PostgresConnection, "_run", strike)
            assert read() == expected
        assert struck


def test_a_read_is_repeated_once_and_no_more(
    server: OwnServer, library: HybridLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = PostgresConnection.statement

    def statement(self: PostgresConnection, asked: str) -> str:
        if asked == "state/get":
            server.end_sessions()
        return told(self, asked)

    with monkeypatch.context() as patch:
        patch.setattr(PostgresConnection, "statement", statement)
        with pytest.raises(DatabaseUnavailable, match="broke"):
            library.search("copper")
    assert library.search("copper")


def test_connection_that_breaks_while_idle_is_noticed_by_nobody(server: OwnServer, library: HybridLibrary) -> None:
    for _ in range(3):
        assert server.end_sessions() >= 1
        assert library.put(note("x", "tin")).unchanged + library.put(note("x", "tin")).unchanged >= 1
        server.restart()
        assert library.search("tin", mode="lexical")


def test_batches_before_the_strike_stay_and_the_rest_may_be_put_again(server: OwnServer, address: str) -> None:
    items = [note(n, f"copper {n}") for n in range(2500)]

    def strike(done: int, _of: int | None) -> None:
        if done == 1000:
            threading.Thread(target=cut.wait).start()
            cut.set()
            broken.append(server.end_sessions("application_name = 'hybridkb' AND state = 'idle'"))

    cut, broken = threading.Event(), []
    with library_at(address, embedder=None) as library:
        assert library.put_many(items, progress=strike).added == 2500  # what breaks between batches is replaced
        assert broken
        assert library.stats().items == 2500
        assert library.check(quick=True).ok


def test_error_inside_a_broken_transaction_is_not_masked(server: OwnServer, library: HybridLibrary) -> None:
    database = library._database

    def fail(connection: Connection) -> None:
        server.end_sessions()
        raise LookupError("what really happened")

    def go_on(connection: Connection) -> None:
        server.end_sessions()
        connection.rows("state/get")

    def inside(enter: Callable[..., Any], body: Callable[[Connection], None]) -> None:
        with enter() as connection:
            body(connection)

    for enter in (database.read, database.write):
        with pytest.raises(LookupError, match="what really happened"):
            inside(enter, fail)
        with pytest.raises(DatabaseUnavailable) as told:
            inside(enter, go_on)
        assert isinstance(told.value.__cause__, psycopg.OperationalError)
    assert library.search("copper")
    assert library.put(note("new", "zinc")).added == 1


def test_server_that_is_away_is_told_and_waited_for(server: OwnServer, address: str) -> None:
    with library_at(f"{address}&wait=1") as library:
        library.put(note(1, "copper"))
        server.stop()
        try:
            for call in (lambda: library.search("copper"), lambda: library.put(note(2, "zinc"))):
                with pytest.raises(DatabaseUnavailable, match="no connection to the server can be made; look whether"):
                    call()
            with pytest.raises(DatabaseUnavailable, match="look whether it runs"):
                library_at(address)
        finally:
            server.start()
        assert library.search("copper")
        assert library.put(note(2, "zinc")).added == 1
    with library_at(address) as library:
        server.stop()
        starting = threading.Timer(0.5, server.start)
        starting.start()
        assert library.search("copper"), "a search waits for a server that is on its way"
        starting.join()


def test_server_that_is_back_answers_before_the_pool_has_noticed(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pool tries again after 1, 2, 4, ... seconds; nobody who asks once the server is back waits for that."""

    def not_yet() -> None:
        raise PoolTimeout("couldn't get a connection")

    with library_at(address) as library:
        library.put(note(1, "copper"))
        monkeypatch.setattr(library._database._pool, "getconn", not_yet)  # type: ignore[attr-defined]
        assert library.search("copper")
        assert library.put(note(2, "zinc")).added == 1
        assert library.get(note(2, "zinc").id)


def undone(server: OwnServer, schema: str, code: str, times: int, *, on: str = "record") -> None:
    """Let writes to a table fail with an error of the server, so many times."""
    server.sql(
        f"CREATE SEQUENCE {schema}.failures",
        f"CREATE FUNCTION {schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF nextval('{schema}.failures') <= {times} THEN RAISE EXCEPTION 'forced' USING ERRCODE = '{code}'; END IF; "
        "RETURN NULL; END $$",
        f"CREATE TRIGGER fail AFTER INSERT OR UPDATE OR DELETE ON {schema}.{on} FOR EACH STATEMENT "
        f"EXECUTE FUNCTION {schema}.fail()",
    )


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_writes_that_the_server_undid_are_tried_again(server: OwnServer, address: str, code: str) -> None:
    schema = address.partition("schema=")[2]
    with library_at(address) as library:
        library.put_many([note(n, f"copper {n}") for n in range(5)])
        undone(server, schema, code, 2)
        report = library.put_many([note(n, f"zinc {n}", available_at=day(1)) for n in range(3, 8)])
        assert (report.added, report.revised, report.records) == (3, 2, 5)
        server.sql(f"SELECT setval('{schema}.failures', 1)")
        library.delete(item_id(0), at=day(2))
        server.sql(f"SELECT setval('{schema}.failures', 1)")
        library.purge(item_id(1))
        assert library.stats().items == 7
        assert len(library.search("zinc", mode="lexical")) == 5
        assert library.check().ok, library.check().findings


def test_writes_that_are_undone_again_and_again_end_in_an_error(server: OwnServer, address: str) -> None:
    schema = address.partition("schema=")[2]
    with library_at(address) as library:
        library.put(note(1, "copper"))
        undone(server, schema, "40001", 1000)
        with pytest.raises(DatabaseBusy, match="undid this because of what another client did.*do it again"):
            library.put(note(2, "zinc"))
        assert server.sql(f"SELECT last_value FROM {schema}.failures") == [(4,)]
        server.sql(f"DROP TRIGGER fail ON {schema}.record")
        assert library.put(note(2, "zinc")).added == 1
        assert library.check().ok


def test_real_deadlock_with_another_client_is_survived(server: OwnServer, address: str) -> None:
    """Another client holds rows in the other order; the server ends one of the two, and the put is done anyway."""
    schema = address.partition("schema=")[2]
    with library_at(address) as library:
        library.put(note(1, "copper"))
        with psycopg.connect(server.address()) as other:
            other.execute("SET deadlock_timeout = '60s'")  # so that the server ends ours, and not this one
            other.execute(f"LOCK TABLE {schema}.record_text IN SHARE MODE".encode())
            put = threading.Thread(target=lambda: reports.append(library.put(note(2, "zinc"))))
            reports: list[Any] = []
            put.start()
            until(lambda: waits(server))
            other.execute(f"UPDATE {schema}.state SET generation = generation + 1".encode())  # held by the put
            other.commit()
            put.join(WAIT)
        assert [report.added for report in reports] == [1]
        assert library.check().ok


def waits(server: OwnServer) -> bool:
    return bool(server.sql(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'hybridkb' AND wait_event_type = 'Lock'"
    ))  # fmt: skip


def until(true: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(int(WAIT / 0.01)):
        if true():
            return
        waited.wait(0.01)
    raise AssertionError("it never came")


FORCED: tuple[tuple[str, type[HybridKBError], str], ...] = (
    ("53100", DatabaseError, "disk is full; free some space there, nothing of this write was kept"),
    ("53200", DatabaseError, "ran out of a resource"),
    ("57014", DatabaseBusy, "cancelled, by a statement_timeout"),
    ("55P03", DatabaseBusy, "another client is writing and did not finish in time"),
    ("25006", DatabaseError, "takes no writes .a standby.*write to the primary"),
    ("42501", DatabaseError, "this role may not do that"),
    ("XX000", DatabaseError, "the database failed"),
)


@pytest.mark.parametrize(("code", "kind", "says"), FORCED)
@pytest.mark.parametrize("table", ["item", "record_text", "state"])
def test_errors_of_the_server_undo_the_write_and_say_what_to_do(
    server: OwnServer, address: str, code: str, kind: type[HybridKBError], says: str, table: str
) -> None:
    schema = address.partition("schema=")[2]
    with library_at(address) as library:
        library.put(note(1, "copper"))
        undone(server, schema, code, 1, on=table)
        with pytest.raises(kind, match=says):
            library.put(note(2, "zinc"))
        assert library.stats().items == 1
        assert library.put(note(2, "zinc")).added == 1
        assert library.check().ok


def test_no_room_for_temporary_files_is_told(server: OwnServer, address: str) -> None:
    """The server's own limit on temporary files is what it says when a sort finds no room."""
    sort = "SELECT sum(x) FROM (SELECT x FROM generate_series(1, 500000) AS s(x) ORDER BY -x) AS t"
    with library_at(f"{address}&options=-c%20temp_file_limit%3D2MB") as library:
        library.put(note(1, "copper"))
        with pytest.raises(DatabaseError, match="ran out of a resource.*temporary file size"):
            library._database.reading(lambda connection: connection.text_rows(sort))
        assert library.search("copper")


def test_statement_that_takes_too_long_is_ended_by_the_limit_of_the_address(server: OwnServer, address: str) -> None:
    schema = address.partition("schema=")[2]
    library_at(address).close()
    with library_at(f"{address}&options=-c%20statement_timeout%3D300ms") as library:
        library.put(note(1, "copper"))
        with psycopg.connect(server.address()) as other:
            other.execute(f"LOCK {schema}.record_text IN ACCESS EXCLUSIVE MODE".encode())
            for call in (lambda: library.search("copper"), lambda: library.put(note(2, "zinc"))):
                with pytest.raises(DatabaseBusy, match="statement_timeout.*raise the limit"):
                    call()
        assert library.search("copper")
        assert library.put(note(2, "zinc")).added == 1


def test_writer_that_waits_too_long_for_another_says_so(server: OwnServer, address: str) -> None:
    with library_at(f"{address}&options=-c%20lock_timeout%3D300ms") as library, library_at(address) as other:
        library.put(note(1, "copper"))
        with other._database.write():
            with pytest.raises(DatabaseBusy, match="another client is writing"):
                library.put(note(2, "zinc"))
            assert library.search("copper"), "readers never wait"
        assert library.put(note(2, "zinc")).added == 1


def test_settings_of_the_role_and_the_address_win_over_ours(server: OwnServer, address: str) -> None:
    def shown(library: HybridLibrary, name: str) -> object:
        return library._database.reading(lambda connection: connection.text_rows(f"SHOW {name}")[0][0])

    library_at(address).close()
    server.sql("CREATE ROLE quick LOGIN SUPERUSER", "ALTER ROLE quick SET statement_timeout = '7s'")
    try:
        with library_at(address) as library:
            assert shown(library, "statement_timeout") == "5min"
            assert shown(library, "idle_in_transaction_session_timeout") == "10min"
        with library_at(address.replace("postgres@", "quick@")) as library:
            assert shown(library, "statement_timeout") == "7s"
            assert shown(library, "lock_timeout") == "30s"
        with library_at(f"{address}&options=-clock_timeout%3D9s") as library:
            assert shown(library, "lock_timeout") == "9s"
            assert shown(library, "search_path").endswith(", pg_temp")
        with library_at(f"{address}&options=-csearch_path%3Dpublic&application_name=desk") as library:
            assert "public" not in str(shown(library, "search_path"))
            assert shown(library, "application_name") == "desk"
    finally:
        server.sql("DROP ROLE quick")


def test_every_connection_in_use_is_told_apart_from_a_full_server(server: OwnServer, address: str) -> None:
    with library_at(f"{address}&pool=2&wait=1") as library:
        library.put(note(1, "copper"))
        database = library._database
        says = "every connection of this process is in use"
        with database.read(), database.read(), pytest.raises(DatabaseBusy, match=says):
            library.search("copper")
        assert library.search("copper")
        others = []
        try:
            while True:
                others.append(psycopg.connect(server.address(user="crowd")))
        except psycopg.OperationalError:
            pass
        try:
            with pytest.raises(DatabaseUnavailable, match="takes no more connections; close some"):
                library_at(address.replace("postgres@", "crowd@"))
        finally:
            for other in others:
                other.close()
        assert library.search("copper")


@pytest.fixture(autouse=True, scope="module")
def crowd(server: OwnServer) -> Iterator[None]:
    server.sql("CREATE ROLE crowd LOGIN")
    yield
    server.sql("DROP ROLE crowd")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("postgres@", "nobody@"), "refuses this role or password.*nobody"),
        (("@/postgres", "@/nowhere"), "no such database.*createdb"),
        (("host=", "host=/nowhere"), "look whether it runs"),
    ],
)
def test_what_keeps_us_from_connecting_is_told(address: str, change: tuple[str, str], says: str) -> None:
    with pytest.raises(DatabaseUnavailable, match=says) as told:
        library_at(address.replace(*change))
    assert not told.value.broke


def test_wrong_password_is_refused_and_never_shown(server: OwnServer, address: str) -> None:
    rules = server.data / "pg_hba.conf"
    before = rules.read_text()
    server.sql("CREATE ROLE keyed LOGIN PASSWORD 'right'")
    try:
        rules.write_text("local all keyed scram-sha-256\n" + before)
        server.sql("SELECT pg_reload_conf()")
        for user in ("keyed:s3cret", "keyed"):
            with pytest.raises(DatabaseUnavailable, match="refuses this role or password; give PGPASSWORD") as told:
                library_at(address.replace("postgres@", f"{user}@"))
            assert "s3cret" not in str(told.value)
            assert "s3cret" not in str(told.value.path)
    finally:
        rules.write_text(before)
        server.sql("SELECT pg_reload_conf()", "DROP ROLE keyed")


def test_database_without_pgvector_is_told_with_the_remedy(server: OwnServer, address: str) -> None:
    server.sql("CREATE DATABASE bare", "GRANT CREATE ON DATABASE bare TO crowd")
    control = next((server._bin.parent).rglob("vector.control"))
    away = control.with_suffix(".away")
    try:
        with pytest.raises(DatabaseError, match="superuser run CREATE EXTENSION vector there"):
            library_at(address.replace("postgres@/postgres", "crowd@/bare"))
        assert server.sql("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'own%'", database="bare") == [(0,)]
        library_at(address.replace("@/postgres", "@/bare")).close()
    finally:
        server.sql("DROP DATABASE bare WITH (FORCE)")
    assert not away.exists()


def test_older_newer_and_foreign_schemas_are_told_apart(server: OwnServer, address: str) -> None:
    schema = address.partition("schema=")[2]
    library_at(address).close()
    server.sql(f"UPDATE {schema}.schema_version SET version = 99")
    with pytest.raises(SchemaTooNew, match="newer hybridkb .schema 99.*upgrade"):
        library_at(address)
    server.sql(f"UPDATE {schema}.schema_version SET version = 3")
    with pytest.raises(SchemaTooOld, match="schema 3 must be migrated to 4; its owner opens it once"):
        library_at(address, read_only=True)
    server.sql(f"DROP SCHEMA {schema} CASCADE", f"CREATE SCHEMA {schema}", f"CREATE TABLE {schema}.item(x INT)")
    with pytest.raises(DatabaseError, match="not of a hybridkb library; name another one with schema="):
        library_at(address)
    assert server.sql(f"SELECT count(*) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace") == [(1,)]


def test_standby_serves_readers_and_refuses_writers(server: OwnServer, address: str) -> None:
    with library_at(address) as library:
        library.put_many([note(n, f"copper gap {n}") for n in range(20)])
        copy = server.folder / "standby"
        server.run("pg_basebackup", "-D", copy, "-R", "-X", "stream", "-c", "fast", "-h", server.folder,
                   "-U", "postgres")  # fmt: skip
        with open(copy / "postgresql.auto.conf", "a") as settings:
            settings.write("\nport = 5433\n")
        server.start(copy)
        try:
            there = f"{address}&port=5433"
            for options in ({"read_only": True}, {}):
                with library_at(there, **options) as standby:
                    assert standby.search("copper gap 7") == library.search("copper gap 7")
                    with pytest.raises(DatabaseError, match="read-only|takes no writes"):
                        standby.put(note("new", "zinc"))
                    assert standby.search("copper")
        finally:
            server.stop(copy)


def test_a_session_that_may_only_read_is_told(server: OwnServer, address: str) -> None:
    with library_at(address) as library:
        library.put(note(1, "copper"))
    with library_at(f"{address}&options=-c%20default_transaction_read_only%3Don") as library:
        assert library.search("copper")
        with pytest.raises(DatabaseError, match="this session, takes no writes"):
            library.put(note(2, "zinc"))


def test_clients_that_make_one_library_at_once_make_one(server: OwnServer, address: str) -> None:
    start, errors, made = threading.Barrier(8), [], []

    def open_it() -> None:
        start.wait()
        try:
            with library_at(address, embedder=None) as library:
                made.append(library._database.created)
                library.put(note(threading.get_ident(), "copper"))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert sum(made) == 1
    with library_at(address) as library:
        assert library.check().ok


def test_clients_that_migrate_one_library_at_once_migrate_it_once(
    server: OwnServer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that may run only once; the version and the step stand in one transaction, also when it is struck."""
    schema = address.partition("schema=")[2]
    library_at(address).close()
    told, failing = PostgresConnection.statement, [True]

    def statement(self: PostgresConnection, asked: str) -> str:
        if asked == "migrations/0005/later":
            return "CREATE TABLE later(x INT)"
        if asked == "migrations/0005/struck":
            return "SELECT 1 / 0" if failing[0] else "SELECT 1"
        return told(self, asked)

    def names(folder: str, engine: str) -> tuple[str, ...]:
        return ("migrations/0005/later", "migrations/0005/struck") if folder == "migrations/0005" else ()

    with monkeypatch.context() as patch:
        patch.setattr("hybridkb.database.postgres_schema.SCHEMA_VERSION", 5)
        patch.setattr("hybridkb.database.postgres_schema.migration_versions", lambda engine: (4, 5))
        patch.setattr("hybridkb.database.postgres_schema.statement_names", names)
        patch.setattr(PostgresConnection, "statement", statement)
        with pytest.raises(DatabaseError, match="division by zero"):
            library_at(address)
        assert server.sql(f"SELECT version FROM {schema}.schema_version") == [(4,)]
        assert server.sql(f"SELECT to_regclass('{schema}.later')") == [(None,)]
        failing[0] = False
        start, errors = threading.Barrier(6), []

        def open_it() -> None:
            start.wait()
            try:
                library_at(address, embedder=None).close()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=open_it) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert errors == []
        assert server.sql(f"SELECT version FROM {schema}.schema_version") == [(5,)]
        assert server.sql(f"SELECT count(*) FROM {schema}.later") == [(0,)]
    with pytest.raises(SchemaTooNew):
        library_at(address)


def test_closed_and_forked_libraries_say_so(server: OwnServer, address: str) -> None:
    import os

    library = library_at(address)
    library.put(note(1, "copper"))
    child = os.fork()
    if child == 0:
        try:
            library.search("copper")
        except DatabaseError as error:
            library.close()
            os._exit(0 if "before this process was forked; open it again in the child" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert library.search("copper"), "the child closed nothing of its parent's"
    library.close()
    library.close()
    for call in (lambda: library.search("copper"), lambda: library.put(note(2, "zinc"))):
        with pytest.raises(DatabaseError, match="closed; open it again"):
            call()


def test_closing_while_a_search_runs_lets_it_end(server: OwnServer, address: str) -> None:
    library = library_at(address)
    library.put(note(1, "copper"))
    with library._database.read() as connection:
        library.close()
        assert connection.rows("state/get")
    assert isinstance(connection, Connection)
    until(lambda: not server.sql("SELECT 1 FROM pg_stat_activity WHERE application_name = 'hybridkb'"))


def test_job_whose_lock_was_lost_writes_nothing_more(server: OwnServer, library: HybridLibrary) -> None:
    """The server frees a lock when its connection breaks; another client may be at the job by then."""
    database = library._database

    def work() -> None:
        with database.job_lock("sync", wait_seconds=0):
            library.put(note("first", "zinc"))
            server.restart()
            with database.job_lock("ingest", wait_seconds=5):
                library.put(note("second", "zinc"))

    with pytest.raises(DatabaseUnavailable, match="lock of the job 'sync' was lost.*start the job again"):
        work()
    assert len(library.search("zinc", mode="lexical")) == 1
    assert library.put(note("second", "zinc")).added == 1


def test_reads_that_a_server_undid_are_repeated(
    server: OwnServer, library: HybridLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a standby does with reads that stand in the way of what it must replay."""
    told, times = PostgresConnection.statement, [2]
    server.sql(
        "CREATE FUNCTION public.conflict() RETURNS BIGINT LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001'; END $$"
    )

    def statement(self: PostgresConnection, asked: str) -> str:
        if asked == "state/get" and times[0]:
            times[0] -= 1
            return "SELECT public.conflict(), 0"
        return told(self, asked)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(PostgresConnection, "statement", statement)
            assert library.search("copper")
        assert times == [0]
    finally:
        server.sql("DROP FUNCTION public.conflict")


def test_addresses_may_name_several_servers(server: OwnServer, address: str) -> None:
    both = address.replace("host=", "host=/nowhere,") + "&target_session_attrs=read-write"
    with library_at(both) as library:
        assert library.put(note(1, "copper")).added == 1
    with pytest.raises(DatabaseUnavailable, match="127.0.0.1"):
        library_at("postgresql://desk@127.0.0.1:1,127.0.0.1:2/research?wait=1")
