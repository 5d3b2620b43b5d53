"""An owner migrates, a writer writes, a reader reads: as the server's own roles, each doing all it may and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from hybridkb.errors import DatabaseError, InvalidInput
from hybridkb.upkeep import grant
from oracles.items import EPOCH, day, filing, item_id, note
from support.fake_embedder import HashEmbedder
from support.own_server import OwnServer

_numbers = count()
OWNER, READER, WRITER, STRANGER = "desk owner", 'rea"der; DROP TABLE item --', "writer%s:x?", "stranger"


@dataclass
class Desk:
    """A library of its own owner on a server with roles."""

    server: OwnServer
    schema: str
    database: str

    def address(self, role: str) -> str:
        from urllib.parse import quote

        return self.server.address(self.schema, user=quote(role, safe=""), database=self.database)

    def open(self, role: str, **options: object) -> HybridLibrary:
        options.setdefault("embedder", HashEmbedder(8))
        return HybridLibrary.open(self.address(role), **options)  # type: ignore[arg-type]

    def sql(self, role: str, *statements: str) -> list[tuple[object, ...]]:
        rows: list[tuple[object, ...]] = []
        address = self.address(role).replace(f"&schema={self.schema}", "")
        with psycopg.connect(address, autocommit=True) as raw:
            for statement in statements:
                cursor = raw.execute(statement.encode())
                rows = cursor.fetchall() if cursor.description else []
        return rows


@pytest.fixture(scope="module")
def roles(server: OwnServer) -> Iterator[str]:
    """A database that a plain role owns, and the other roles."""
    names = [name.replace('"', '""') for name in (OWNER, READER, WRITER, STRANGER)]
    server.sql(*(f'CREATE ROLE "{name}" LOGIN' for name in names), f'CREATE DATABASE desk OWNER "{names[0]}"')
    server.sql("CREATE EXTENSION vector", database="desk")  # as an operator does: the owner is no superuser
    yield "desk"
    server.sql("DROP DATABASE desk WITH (FORCE)", *(f'DROP ROLE "{name}"' for name in names))


@pytest.fixture
def desk(server: OwnServer, roles: str) -> Desk:
    """A library with some items, whose reader and writer are granted what they need."""
    desk = Desk(server, f"roles{next(_numbers)}", roles)
    with desk.open(OWNER) as library:
        library.put_many([note(n, f"copper gap {n}", title=f"Note {n}") for n in range(12)])
        library.put(filing("f", ["zinc supply", "tin demand"]))
    grant(desk.address(OWNER), readers=[READER], writers=[WRITER])
    return desk


def read_everything(library: HybridLibrary) -> None:
    """All that a reader is promised."""
    assert library.search("copper gap", mode="hybrid").mode == "hybrid"
    assert library.search('"copper gap" zin*', available_at_before=day(3)).hits
    assert len(library.search("copper", item_types=["note"], mode="lexical", top_k=20)) == 12
    assert library.get(item_id(3)).id == item_id(3)
    assert len(library.history(item_id(3))) == 1
    assert library.resolve(f"item:{item_id('f')}") is not None
    assert len(library.snapshot(at=day(1)).search("copper", mode="lexical", top_k=20)) == 12
    assert library.stats().items == 13
    assert library.inventory().items
    assert library.list_items().items
    assert library.count(item_types=["note"]).passing == 12
    assert library.check().ok
    assert library.audit() is not None
    assert library.folders() == ()
    assert len(list(library.export())) > 12


@pytest.mark.parametrize("read_only", [True, False])
def test_reader_reads_everything(desk: Desk, read_only: bool) -> None:
    with desk.open(READER, read_only=read_only) as library:
        read_everything(library)


@pytest.mark.parametrize("read_only", [True, False])
def test_every_kind_of_write_by_a_reader_is_refused_and_the_remedy_told(
    desk: Desk, read_only: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("nickel")
    with desk.open(READER, read_only=read_only) as library:
        writes: list[Callable[[], object]] = [
            lambda: library.put(note("new", "nickel")),
            lambda: library.put_many([note("new", "nickel")], embed=False),
            lambda: library.delete(item_id(1)),
            lambda: library.purge(item_id(1)),
            lambda: library.sync(tmp_path),
            lambda: library.rebuild(),
            lambda: library.optimize(),
            lambda: library.compact(),
            lambda: HybridLibrary.open(desk.address(READER), embedder=HashEmbedder(8, "other")).embed_pending(),
        ]
        for write in writes:
            with pytest.raises(DatabaseError, match="read-only|may read this library and not write"):
                write()
        assert len(library.search("nickel", mode="lexical")) == 0
        assert library.stats().items == 13


def test_the_server_itself_refuses_what_a_reader_may_not(desk: Desk) -> None:
    desk.sql(OWNER, "CREATE SCHEMA IF NOT EXISTS other", "CREATE TABLE IF NOT EXISTS other.secret(x INT)")
    rows = desk.sql(OWNER, f"SELECT tablename FROM pg_tables WHERE schemaname = '{desk.schema}'")
    tables = [str(row[0]) for row in rows]
    assert len(tables) > 20
    wrong = [f"SELECT * FROM {desk.schema}.{table}" for table in tables]
    desk.sql(READER, *wrong)  # each may be read
    for table in tables:
        for statement in (f"DELETE FROM {desk.schema}.{table}", f"TRUNCATE {desk.schema}.{table}",
                          f"DROP TABLE {desk.schema}.{table}", f"BEGIN; LOCK {desk.schema}.{table} IN EXCLUSIVE MODE",
                          f"INSERT INTO {desk.schema}.{table} DEFAULT VALUES"):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                desk.sql(READER, statement)
    for statement in (
        f"CREATE TABLE {desk.schema}.own(x INT)", "CREATE TABLE public.own(x INT)", "CREATE SCHEMA own",
        "SELECT * FROM other.secret", "SELECT pg_read_file('postgresql.conf')",
        f"CREATE FUNCTION {desk.schema}.f() RETURNS INT LANGUAGE sql AS 'SELECT 1'",
        f"UPDATE {desk.schema}.state SET generation = 0", "COPY pg_class TO PROGRAM 'true'",
        f"SELECT setval(CAST(pg_get_serial_sequence('{desk.schema}.journal', 'entry_no') AS REGCLASS), 1)",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            desk.sql(READER, statement)


def test_writer_writes_and_mends_but_neither_migrates_nor_drops(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("nickel is scarce")
    with desk.open(WRITER) as library:
        read_everything(library)
        assert library.put(note("new", "lead")).added == 1
        library.put(note("new", "lead again", available_at=day(2)))
        library.delete(item_id(1))
        library.purge(item_id(2))
        assert library.sync(tmp_path).indexed == 1
        assert library.put_many([note("later", "cobalt")], embed=False).pending == 1
        assert library.embed_pending().pending == 0
        assert library.rebuild().records
        library.optimize()
        library.compact()
        assert library.check().ok, library.check().findings
    with desk.open(WRITER, embedder=HashEmbedder(8, "other")) as library:
        assert library.embed_pending().serving
    for statement in (
        f"DROP TABLE {desk.schema}.item", f"ALTER TABLE {desk.schema}.item ADD COLUMN x INT",
        f"CREATE TABLE {desk.schema}.own(x INT)", f"DROP SCHEMA {desk.schema} CASCADE",
        f"UPDATE {desk.schema}.schema_version SET version = 99", f"TRUNCATE {desk.schema}.item CASCADE",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            desk.sql(WRITER, statement)


def test_compact_by_a_writer_gives_room_back(desk: Desk) -> None:
    with desk.open(WRITER) as library:
        library.put_many([note(f"big {n}", "copper " * 3000) for n in range(60)], embed=False)
        for n in range(60):
            library.purge(item_id(f"big {n}"))
        full = desk.sql(OWNER, f"SELECT pg_relation_size('{desk.schema}.record_text') + "
                               f"pg_total_relation_size('{desk.schema}.revision')")  # fmt: skip
        library.compact()
        left = desk.sql(OWNER, f"SELECT pg_relation_size('{desk.schema}.record_text') + "
                               f"pg_total_relation_size('{desk.schema}.revision')")  # fmt: skip
    assert int(str(left[0][0])) < int(str(full[0][0]))


def test_stranger_is_told_what_to_ask_for(desk: Desk) -> None:
    for options in ({}, {"read_only": True}, {"create": False}):
        with pytest.raises(DatabaseError, match="may not read the library in the namespace .*hybridkb grant"):
            desk.open(STRANGER, **options)


def test_missing_and_unmigrated_namespaces_are_told_apart(desk: Desk) -> None:
    missing = Desk(desk.server, "nowhere", desk.database)
    with pytest.raises(DatabaseError, match="no library in the namespace 'nowhere'; create it first"):
        missing.open(WRITER, create=False)
    with pytest.raises(DatabaseError, match="may not make the namespace 'nowhere'.*AUTHORIZATION"):
        missing.open(WRITER)
    desk.sql(OWNER, f"UPDATE {desk.schema}.schema_version SET version = 3")
    with pytest.raises(DatabaseError, match="may not migrate the library.*belongs to another"):
        desk.open(WRITER)
    with pytest.raises(DatabaseError, match="schema 3 must be migrated"):
        desk.open(READER, read_only=True)
    desk.sql(OWNER, f"UPDATE {desk.schema}.schema_version SET version = 5")
    with pytest.raises(DatabaseError, match="newer hybridkb"):
        desk.open(READER)
    desk.sql(OWNER, "CREATE SCHEMA IF NOT EXISTS empty_one", f'GRANT USAGE ON SCHEMA empty_one TO "{STRANGER}"')
    with pytest.raises(DatabaseError, match="may not make tables in the namespace 'empty_one'"):
        Desk(desk.server, "empty_one", desk.database).open(STRANGER)


def test_what_a_superuser_makes_in_the_namespace_belongs_to_its_owner(desk: Desk) -> None:
    """Else what the owner grants on later tables would not hold for them."""
    desk.sql(OWNER, "CREATE SCHEMA made_ahead")
    ahead = Desk(desk.server, "made_ahead", desk.database)
    ahead.open("postgres").close()
    owners = desk.sql(OWNER, "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'made_ahead'")
    assert owners == [(OWNER,)]
    grant(ahead.address(OWNER), writers=[WRITER])
    with ahead.open(WRITER) as library:
        assert library.put(note(1, "copper")).added == 1


def test_later_tables_are_granted_too(desk: Desk) -> None:
    desk.sql(OWNER, f"CREATE TABLE {desk.schema}.later(n INT GENERATED BY DEFAULT AS IDENTITY, x INT)")
    desk.sql(WRITER, f"INSERT INTO {desk.schema}.later(x) VALUES (1)")
    assert desk.sql(READER, f"SELECT x FROM {desk.schema}.later") == [(1,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        desk.sql(READER, f"DELETE FROM {desk.schema}.later")


def test_writer_made_a_reader_only_reads_and_a_revoked_role_does_nothing(desk: Desk) -> None:
    grant(desk.address(OWNER), readers=[WRITER], revoke=[READER])
    with desk.open(WRITER) as library:
        read_everything(library)
        with pytest.raises(DatabaseError, match="may read this library and not write"):
            library.put(note("new", "lead"))
    with pytest.raises(DatabaseError, match="may not read"):
        desk.open(READER, read_only=True)
    desk.sql(OWNER, f"CREATE TABLE {desk.schema}.later(x INT)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        desk.sql(WRITER, f"INSERT INTO {desk.schema}.later VALUES (1)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        desk.sql(READER, f"SELECT * FROM {desk.schema}.later")


def test_only_the_owner_grants_and_a_refusal_changes_nothing(desk: Desk) -> None:
    with pytest.raises(DatabaseError, match="belongs to 'desk owner', and only that role may grant"):
        grant(desk.address(WRITER), readers=[STRANGER])
    for wrong, why in (
        ({"readers": ["nobody here"]}, "no role 'nobody here'"),
        ({"readers": ["PUBLIC"]}, "everybody"),
        ({"readers": [STRANGER], "writers": [STRANGER]}, "named twice"),
        ({"writers": [OWNER]}, "owns the library"),
        ({"readers": [""]}, "cannot name a role"),
        ({}, "name a role"),
        ({"readers": [STRANGER, "nobody here"]}, "no role"),
    ):
        with pytest.raises(InvalidInput, match=why):
            grant(desk.address(OWNER), **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="roles are a server's"):
        grant("desk.db", readers=[STRANGER])
    with pytest.raises(DatabaseError, match="may not read"):
        desk.open(STRANGER)


def test_what_the_owner_may_not_give_is_told_and_nothing_is_changed(desk: Desk) -> None:
    desk.server.sql("CREATE DATABASE closed", "REVOKE CONNECT ON DATABASE closed FROM PUBLIC",
                    f'GRANT CONNECT, CREATE ON DATABASE closed TO "{OWNER}"')  # fmt: skip
    closed = Desk(desk.server, desk.schema, "closed")
    try:
        desk.server.sql("CREATE EXTENSION vector", database="closed")
        closed.open(OWNER).close()
        with pytest.raises(DatabaseError, match="still lacks CONNECT ON DATABASE closed.*Nothing was changed"):
            grant(closed.address(OWNER), readers=[STRANGER])
        desk.server.sql(f'GRANT CONNECT ON DATABASE closed TO "{STRANGER}"')
        with pytest.raises(DatabaseError, match="may not read the library"):
            closed.open(STRANGER)
        grant(closed.address(OWNER), readers=[STRANGER])
        closed.open(STRANGER).close()
    finally:
        desk.server.sql("DROP DATABASE closed WITH (FORCE)")


def test_command_prints_the_sql_without_running_it_or_runs_it(desk: Desk) -> None:
    printed = CliRunner().invoke(cli, ["grant", desk.address(OWNER), "--reader", STRANGER, "--print"])
    assert printed.exit_code == 0, printed.output
    assert printed.output.startswith("BEGIN;\n")
    assert printed.output.endswith("COMMIT;\n")
    assert f'GRANT SELECT ON ALL TABLES IN SCHEMA "{desk.schema}" TO "{STRANGER}";' in printed.output
    with pytest.raises(DatabaseError, match="may not read"):
        desk.open(STRANGER)
    desk.sql(OWNER, *printed.output.splitlines())
    with desk.open(STRANGER, read_only=True) as library:
        assert library.search("copper").hits
    taken = CliRunner().invoke(cli, ["-d", desk.address(OWNER), "grant", "--revoke", STRANGER])
    assert (taken.exit_code, taken.output) == (0, f"{STRANGER}: may do nothing any more\n")
    refused = CliRunner().invoke(cli, ["grant", desk.address(WRITER), "--reader", STRANGER])
    assert refused.exit_code == 4
    assert "only that role may grant" in refused.output


def test_objects_of_others_named_like_ours_are_not_used(desk: Desk) -> None:
    """A role that may make tables and functions where everybody looks gains nothing; nor do temporary tables."""
    desk.server.sql(f'GRANT CREATE ON SCHEMA public TO "{STRANGER}"', database=desk.database)
    desk.sql(STRANGER,
             "CREATE TABLE public.item(item_no BIGINT, item_id TEXT, item_type TEXT)",
             "CREATE TABLE public.record_text(record_id BIGINT, title TEXT, body TEXT)",
             "CREATE FUNCTION public.ids(list VARCHAR) RETURNS BIGINT[] LANGUAGE plpgsql AS "
             "$$BEGIN RAISE EXCEPTION 'hijacked'; END$$",
             "CREATE FUNCTION public.translate(a VARCHAR, b VARCHAR, c VARCHAR) RETURNS TEXT LANGUAGE plpgsql AS "
             "$$BEGIN RAISE EXCEPTION 'hijacked'; END$$",
             "CREATE FUNCTION public.hashtext(a VARCHAR) RETURNS INT LANGUAGE plpgsql AS "
             "$$BEGIN RAISE EXCEPTION 'hijacked'; END$$")  # fmt: skip
    try:
        with desk.open(OWNER) as library:
            database = library._database
            with database.write() as connection:  # a temporary table of the very session that goes on to serve
                connection.text_rows("CREATE TEMP TABLE record_text(record_id BIGINT, title TEXT, body TEXT)")
                connection.text_rows("CREATE TEMP TABLE revision(revision_no BIGINT)")
            for _ in range(3):
                library.put(note("new", "lead"))
                read_everything_but_counts(library)
    finally:
        desk.sql(STRANGER, "DROP TABLE public.item, public.record_text", "DROP FUNCTION public.ids(VARCHAR)",
                 "DROP FUNCTION public.translate(VARCHAR, VARCHAR, VARCHAR)",
                 "DROP FUNCTION public.hashtext(VARCHAR)")  # fmt: skip


def read_everything_but_counts(library: HybridLibrary) -> None:
    hits = library.search("copper gap", mode="lexical", top_k=20)
    assert len(hits) == 12
    assert hits[0].matched_text
    assert library.search('"copper gap"', available_at_before=EPOCH).hits
    assert library.check().ok
