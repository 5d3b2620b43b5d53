"""Reads the SQL that lives in ``sql/``, one statement a file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from hybridkb.errors import DatabaseError

_PACKAGE = "hybridkb.sql"


def _root() -> Traversable:
    try:
        return files(_PACKAGE) / "sqlite"
    except ModuleNotFoundError:
        raise DatabaseError(
            "the SQL of hybridkb is not installed; run pip install -e . in the checkout, or install the wheel"
        ) from None


@cache
def statement(name: str) -> str:
    """Return the statement in ``sql/sqlite/<name>.sql``."""
    return (_root() / f"{name}.sql").read_text(encoding="utf-8")


@cache
def statement_names(folder: str) -> tuple[str, ...]:
    """Name the statements of one folder in order, ready for :func:`statement`."""
    names = sorted(entry.name for entry in (_root() / folder).iterdir() if entry.name.endswith(".sql"))
    return tuple(f"{folder}/{name[:-4]}" for name in names)


@cache
def migration_versions() -> tuple[int, ...]:
    """List the schema versions that have migration steps, oldest first."""
    return tuple(sorted(int(entry.name) for entry in (_root() / "migrations").iterdir() if entry.name.isdigit()))
