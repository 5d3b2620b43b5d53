"""Bytes of a database file by table, its indexes and shadow tables included."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import apsw
import sqlite_vec


def bytes_by_table(path: Path) -> dict[str, int]:
    """Sum the pages of every table; a virtual table's shadow tables count for it, largest first."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    owners = _owners(connection)
    sums: dict[str, int] = defaultdict(int)
    for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat WHERE aggregate = 1 GROUP BY name"):
        sums[owners.get(name, name)] += size
    connection.close()
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))


def file_bytes(path: Path) -> int:
    """The file with its log."""
    return sum(part.stat().st_size for part in (path, Path(f"{path}-wal")) if part.exists())


def _owners(connection: apsw.Connection) -> dict[str, str]:
    """Index or shadow table to the table it belongs to."""
    rows = list(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))
    owners = {name: table for kind, name, table, _ in rows if kind == "index"}
    virtual = [name for kind, name, _, sql in rows if kind == "table" and (sql or "").startswith("CREATE VIRTUAL")]
    for _, name, table, _ in rows:
        owner = next((one for one in virtual if table.startswith(f"{one}_")), None)
        if owner is not None:
            owners[name] = owner
    return owners
