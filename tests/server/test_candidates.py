"""A candidate on a server is a namespace beside the library's: whole or not there, and never anything else's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hybridkb import HybridLibrary
from hybridkb.copying import copy_library
from hybridkb.database.postgres_address import MOST_LETTERS, read_address, sibling_address
from hybridkb.errors import BrokenInvariant, DatabaseError, DatabaseUnavailable, PromotionRefused
from hybridkb.evaluation import discard_candidate, find_candidate, list_runs, promote, reindex
from hybridkb.evaluation.candidate import candidate_place
from hybridkb.upkeep import grant
from oracles.items import item_id, note
from support.judged_library import BETTER, BY_RANK, FAIR, evaluate, fill, gold, records
from support.own_server import OwnServer

TESTS = Path(__file__).parents[1]
SCHEMA = "judged"
KILLED = """
import sys
from hybridkb import HybridLibrary
from hybridkb.evaluation import reindex
from support.judged_library import BETTER, FAIR, gold
def stop(stage, done, total):
    if stage == "copying" and done > total // 2:
        print("copying", flush=True)
        sys.stdin.read()
with HybridLibrary.open(sys.argv[1], embedder=FAIR) as library:
    reindex(library, embedder=BETTER, gold=gold(), k=3, depth=20, progress=stop)
"""


@pytest.fixture(scope="module")
def judged(server: OwnServer) -> Iterator[str]:
    """The address of a library that serves a fair model, with a baseline; in a database that a plain role owns."""
    server.sql("CREATE ROLE judge LOGIN", "CREATE ROLE clerk LOGIN", "CREATE DATABASE judged OWNER judge")
    server.sql("CREATE EXTENSION vector", database="judged")
    address = server.address(SCHEMA, user="judge", database="judged")
    with HybridLibrary.open(address, embedder=FAIR, settings=BY_RANK) as library:
        fill(library)
        evaluate(library, k=3)
        promote(library, baseline=True)
    grant(address, writers=["clerk"])
    yield address
    server.sql("DROP DATABASE judged WITH (FORCE)", "DROP ROLE judge", "DROP ROLE clerk")


@pytest.fixture
def library(server: OwnServer, judged: str) -> Iterator[HybridLibrary]:
    """That library; what a test puts beside it is dropped, and what it puts into it stays."""
    with HybridLibrary.open(judged, embedder=FAIR) as library:
        yield library
    server.sql(f"DROP SCHEMA IF EXISTS {SCHEMA}_candidate CASCADE", database="judged")


@pytest.fixture
def sql(server: OwnServer, judged: str) -> Callable[..., list[tuple[Any, ...]]]:
    return lambda *statements, user="postgres": server.sql(*statements, user=user, database="judged")


def build(library: HybridLibrary, **arguments: Any) -> Any:
    return reindex(library, **{"gold": gold(), "k": 3, "depth": 20, "resamples": 200, **arguments})


def namespaces(sql: Callable[..., list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    return sql("SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information)' ORDER BY 1")


def kill_while_copying(address: str) -> None:
    path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    running = subprocess.Popen(
        [sys.executable, "-c", KILLED, address], cwd=TESTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == "copying\n"
        running.send_signal(signal.SIGKILL)
    finally:
        running.kill()
        running.communicate()


def test_a_process_killed_while_it_copies_leaves_what_was_there(
    library: HybridLibrary, sql: Callable[..., list[tuple[Any, ...]]], judged: str
) -> None:
    before = namespaces(sql)
    kill_while_copying(judged)
    assert namespaces(sql) == before
    assert find_candidate(library) is None
    older = build(library, embedder=BETTER)
    library.put(note("arrived", "word1 arrived"))
    kill_while_copying(judged)
    assert find_candidate(library.path) is not None
    with HybridLibrary.open(older.candidate, embedder=BETTER) as copy:
        assert copy.stats().items == library.stats().items - 1
        assert copy.check().ok
    report = build(library, embedder=BETTER)
    assert (report.resumed, report.embedded) == (False, 1)


def test_who_lost_the_lock_of_the_job_replaces_nothing(
    server: OwnServer, library: HybridLibrary, sql: Callable[..., list[tuple[Any, ...]]]
) -> None:
    def lose(stage: str, done: int, total: int | None) -> None:
        if stage == "copying" and not lost:
            lost.append(server.end_sessions("pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"))

    before, lost = namespaces(sql), list[int]()
    with pytest.raises(DatabaseUnavailable, match="lock of the job 'reindex' was lost"):
        build(library, language="none", progress=lose)
    assert (lost, namespaces(sql)) == ([1], before)


@pytest.mark.parametrize("made", ["tables", "library"])
def test_what_is_no_candidate_is_never_touched(
    library: HybridLibrary, sql: Callable[..., list[tuple[Any, ...]]], judged: str, made: str
) -> None:
    theirs = f"{judged.partition('&')[0]}&schema={SCHEMA}_candidate"
    if made == "tables":
        sql(f"CREATE SCHEMA {SCHEMA}_candidate", f"CREATE TABLE {SCHEMA}_candidate.library(name TEXT, value TEXT)",
            f"INSERT INTO {SCHEMA}_candidate.library VALUES ('candidate', 'mine')")  # fmt: skip
    else:
        with HybridLibrary.open(theirs, embedder=None) as other:
            other.put(note("arrived", "somebody else's"))
    runs = len(list_runs(library))
    for attempt in (
        lambda: build(library, embedder=BETTER), lambda: build(library, embedder=BETTER, restart=True),
        lambda: promote(library), lambda: discard_candidate(library), lambda: discard_candidate(judged),
        lambda: find_candidate(judged),
    ):  # fmt: skip
        with pytest.raises(BrokenInvariant, match="is no candidate"):
            attempt()
    library.put(note("purged", "word2"))
    library.purge(item_id("purged"))
    library.compact()
    assert len(list_runs(library)) == runs
    if made == "tables":
        assert sql(f"SELECT * FROM {SCHEMA}_candidate.library") == [("candidate", "mine")]
    else:
        with HybridLibrary.open(theirs, embedder=None) as other:
            assert other.search("somebody").hits


def test_a_role_that_may_make_no_namespace_is_told_what_it_lacks(
    library: HybridLibrary, sql: Callable[..., list[tuple[Any, ...]]], judged: str
) -> None:
    runs = len(list_runs(library))
    lacking = "role 'clerk' may not make the namespace 'judged_candidate'.*GRANT CREATE ON DATABASE judged TO clerk"
    with HybridLibrary.open(judged.replace("judge@", "clerk@"), embedder=FAIR) as theirs:
        with pytest.raises(DatabaseError, match=lacking):
            build(theirs, embedder=BETTER)
        assert len(list_runs(library)) == runs
        sql("GRANT CREATE ON DATABASE judged TO clerk")
        try:
            assert build(theirs, embedder=BETTER).promote
        finally:
            sql("REVOKE CREATE ON DATABASE judged FROM clerk")
        for attempt in (lambda: promote(library), lambda: discard_candidate(library), lambda: build(library)):
            with pytest.raises(DatabaseError, match="belongs to the role 'clerk'"):
                attempt()
        library.put(note("purged", "word2"))
        with pytest.raises(DatabaseError, match="may still hold what was purged.*'clerk'"):
            library.purge(item_id("purged"))
        assert discard_candidate(theirs)
    with pytest.raises(DatabaseError, match="the role 'clerk' may not make the namespace 'fresh'.*GRANT CREATE"):
        HybridLibrary.open(judged.replace("judge@", "clerk@").replace(f"schema={SCHEMA}", "schema=fresh"))


def test_what_a_superuser_makes_belongs_to_the_owner_of_the_library(
    library: HybridLibrary, sql: Callable[..., list[tuple[Any, ...]]], judged: str
) -> None:
    with HybridLibrary.open(judged.replace("judge@", "postgres@"), embedder=FAIR) as theirs:
        build(theirs, embedder=BETTER)
    owners = sql(f"SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = '{SCHEMA}_candidate'")
    assert owners == [("judge",)]
    made = """SELECT count(*) FILTER (WHERE NOT t.tgisinternal), count(*) FILTER (WHERE t.tgenabled = 'O'), count(*)
        FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid WHERE c.relnamespace = CAST(%s AS REGNAMESPACE)"""
    copied, own = (sql(made.replace("%s", f"'{name}'")) for name in (f"{SCHEMA}_candidate", SCHEMA))
    assert copied == own
    assert discard_candidate(judged)


def test_readers_answer_from_one_index_or_the_other_while_a_candidate_takes_over(
    server: OwnServer, judged: str
) -> None:
    address = judged.replace(f"schema={SCHEMA}", "schema=taken_over")
    query = records()[0]["query"]
    with HybridLibrary.open(address, embedder=FAIR, settings=BY_RANK) as library:
        fill(library)
        evaluate(library, k=3)
        promote(library, baseline=True)
        build(library, language="none", tolerance=1.0)
        with HybridLibrary.open(address, embedder=FAIR, read_only=True) as reader:
            old = reader.search(query)
            seen, stop, failures = {old.fingerprint}, threading.Event(), []

            def read() -> None:
                while not stop.is_set():
                    try:
                        seen.add(reader.search(query).fingerprint)
                    except Exception as error:
                        failures.append(error)

            thread = threading.Thread(target=read)
            thread.start()
            try:
                assert promote(library).promoted
                new = reader.search(query).fingerprint
            finally:
                stop.set()
                thread.join()
            assert failures == []
            assert seen <= {old.fingerprint, new}
            assert reader.settings.language == "none"
    server.sql("DROP SCHEMA taken_over CASCADE", database="judged")


def test_a_candidate_that_somebody_reads_takes_over_and_is_removed_later(
    server: OwnServer, judged: str, library: HybridLibrary
) -> None:
    impatient = f"{judged}&options=-c%20lock_timeout%3D100"
    with HybridLibrary.open(impatient, embedder=FAIR) as hasty:
        build(hasty, ranking=None, language="none", tolerance=1.0)
        with psycopg.connect(server.address(user="judge", database="judged")) as raw:
            raw.execute(f"SELECT count(*) FROM {SCHEMA}_candidate.item".encode())
            report = promote(hasty)
            assert report.promoted
            assert any("could not be removed yet" in one for one in report.notes)
        with pytest.raises(PromotionRefused):
            promote(hasty)
        assert find_candidate(hasty) is None
        build(hasty, language="english", tolerance=1.0)  # back, for the tests that follow
        promote(hasty)


def test_who_has_a_candidate_open_by_hand_answers_from_its_successor(library: HybridLibrary) -> None:
    query = records()[0]["query"]
    for change in ({"language": "none"}, {"embedder": BETTER}):
        report = build(library, **change, restart=True, tolerance=1.0)
        if change == {"language": "none"}:
            opened = HybridLibrary.open(report.candidate, embedder=FAIR, read_only=True)
        with HybridLibrary.open(report.candidate, embedder=FAIR, read_only=True) as fresh:
            assert opened.settings == fresh.settings
            for mode in ("lexical", "hybrid"):
                assert opened.search(query, mode=mode) == fresh.search(query, mode=mode)
    opened.close()


def test_a_copy_of_a_candidate_is_a_library_of_its_own(
    library: HybridLibrary, judged: str, tmp_path: Path, sql: Callable[..., list[tuple[Any, ...]]]
) -> None:
    place = candidate_place(library)
    build(library, embedder=BETTER)
    copy_library(judged, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db-candidate").exists()
    copy_library(place.address, tmp_path / "copy.db-candidate")
    with HybridLibrary.open(tmp_path / "copy.db", embedder=FAIR) as copy, pytest.raises(BrokenInvariant):
        find_candidate(copy)
    with HybridLibrary.open(tmp_path / "copy.db-candidate", embedder=BETTER) as copy:
        assert copy.check().ok


def test_a_long_name_is_cut_and_stays_one_of_its_own() -> None:
    names = [sibling_address(read_address(f"postgresql:///x?schema={'n' * length}"), "candidate").schema
             for length in range(1, MOST_LETTERS + 1)]  # fmt: skip
    assert max(map(len, names)) <= MOST_LETTERS
    assert len(set(names)) == len(names)
    assert all(name.endswith("_candidate") for name in names)


def test_the_password_of_an_address_opens_the_candidate_and_is_not_shown() -> None:
    address = sibling_address(read_address("postgresql://judge:secret@host/x?schema=a&pool=3"), "candidate")
    assert "judge:secret@" in address.url
    assert address.shown == "postgresql://judge@host/x?pool=3&schema=a_candidate"
