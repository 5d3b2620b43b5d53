"""Statements written for named and counted bindings, as psycopg and the server want them."""

from __future__ import annotations

import re
from functools import lru_cache

_PIECES = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|(--[^\n]*)|(?<!:):([a-z_][a-z0-9_]*)|(\?)|(%)""")
_INSERT = re.compile(
    r"\s*INSERT INTO (?P<table>[a-z_]+)\s*\((?P<columns>[a-z_,\s]+)\)\s*VALUES\s*\((?:\?,\s*)*\?\)\s*", re.IGNORECASE
)
_COMMENT = re.compile(r"--[^\n]*")


@lru_cache(maxsize=2048)
def for_driver(sql: str) -> str:
    """Name bindings as psycopg does; comments go. An empty text is a statement that this engine need not run."""
    return _PIECES.sub(_piece, sql).strip()


def _piece(match: re.Match[str]) -> str:
    text, comment, name, counted, _ = match.groups()
    if text is not None:
        return text.replace("%", "%%")
    if comment is not None:
        return ""
    if name is not None:
        return f"%({name})s"
    return "%s" if counted else "%%"


@lru_cache(maxsize=256)
def copy_of(sql: str) -> str | None:
    """The COPY that does what a plain INSERT of counted bindings does, several times faster; None for any other."""
    found = _INSERT.fullmatch(_COMMENT.sub("", sql))
    if found is None:
        return None
    columns = ", ".join(name.strip() for name in found["columns"].split(","))
    return f"COPY {found['table']} ({columns}) FROM STDIN"


def quoted_name(name: str) -> str:
    """A name as an identifier, whatever characters it holds."""
    return '"' + name.replace('"', '""') + '"'
