"""Reads the SQL that lives in ``sql/``, one statement a file.

``sql/shared`` holds what both engines understand, ``sql/sqlite`` and ``sql/postgres`` what each says in its own way. A
name stands in one of the two places, and every engine has every name (but for migrations and checks of its own);
``tests/database/test_statements.py`` sees to that.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal, TypeAlias

from hybridkb.errors import DatabaseError

Engine: TypeAlias = Literal["sqlite", "postgres"]

_PACKAGE = "hybridkb.sql"
_SHARED = "shared"


def _root() -> Traversable:
    try:
        return files(_PACKAGE)
    except ModuleNotFoundError:
        raise DatabaseError(
            "the SQL of hybridkb is not installed; run pip install -e . in the checkout, or install the wheel"
        ) from None


@cache
def statement(name: str, engine: Engine) -> str:
    """Return the statement of that name for an engine."""
    for place in (engine, _SHARED):
        file = _root() / place / f"{name}.sql"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise DatabaseError(f"hybridkb has no statement {name!r} for {engine}; install it again")


@cache
def statement_names(folder: str, engine: Engine) -> tuple[str, ...]:
    """Name the statements of one folder in order, ready for :func:`statement`."""
    held: set[str] = set()
    for place in (engine, _SHARED):
        directory = _root() / place / folder
        if directory.is_dir():
            held |= {entry.name for entry in directory.iterdir() if entry.name.endswith(".sql")}
    return tuple(f"{folder}/{name[:-4]}" for name in sorted(held))


@cache
def migration_versions(engine: Engine) -> tuple[int, ...]:
    """List the schema versions that have migration steps, oldest first."""
    steps = (_root() / engine / "migrations").iterdir()
    return tuple(sorted(int(entry.name) for entry in steps if entry.name.isdigit()))
