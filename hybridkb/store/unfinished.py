"""A copy that is not finished is no library: it says so until all of it is verified (:mod:`hybridkb.copying`)."""

from __future__ import annotations

import json

from hybridkb.database import Connection
from hybridkb.errors import UnfinishedCopy

NOTE = "unfinished_copy"
"""Names the setting in which a library says that it is a copy under way: of what, and how far it came (JSON)."""


def require_whole(connection: Connection, path: str) -> None:
    """Refuse a copy that is not finished.

    Raises:
        UnfinishedCopy: it is one; the text says how to go on.
    """
    note = connection.value("library/get", {"name": NOTE})
    if note is None:
        return
    source = str(json.loads(note).get("source", "another library"))
    raise UnfinishedCopy(
        f"{path}: this is an unfinished copy of {source}; finish it by giving the same command again (hybridkb copy "
        "FROM TO), or throw it away and begin anew with --restart",
        path=path,
        source=source,
    )
