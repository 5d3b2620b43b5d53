"""Every engine has every statement, said once: in ``sql/shared``, or in each engine's own way."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest

from hybridkb.database.statements import Engine, migration_versions, statement, statement_names
from hybridkb.errors import DatabaseError

ONLY_SQLITE = {
    "schema/application", "schema/pages", "schema/set_application", "schema/set_version_1", "schema/set_version_2",
    "schema/set_version_3", "schema/set_version_4", "schema/tables",
}  # fmt: skip
"""SQLite keeps these in the header of its file."""
ONLY_POSTGRES = {
    "hnsw/after", "hnsw/backend", "hnsw/before", "hnsw/build", "hnsw/drop", "hnsw/indexes", "hnsw/memory",
    "hnsw/nearest", "hnsw/no_timeouts", "hnsw/progress", "hnsw/settings", "hnsw/use_memory",
    "schema/access", "schema/act_as", "schema/make_extension", "schema/make_namespace", "schema/make_public",
    "schema/may_write", "schema/no_timeout", "schema/owner", "schema/set_path", "schema/set_session",
    "schema/set_version", "schema/vector_extension", "schema/who", "transaction/free_job_lock",
    "transaction/lock_library", "transaction/try_job_lock",
}  # fmt: skip
"""A server has namespaces, sessions, locks and HNSW indexes of its own."""


FOLDERS_OF_POSTGRES = ("grants/", "adopted/", "sibling/")
"""A server has roles, other tables beside those of a library, and copies beside it that are no files."""


def names(place: str) -> set[str]:
    def below(folder: Traversable, prefix: str) -> set[str]:
        found: set[str] = set()
        for entry in folder.iterdir():
            if entry.is_dir():
                found |= below(entry, f"{prefix}{entry.name}/")
            elif entry.name.endswith(".sql"):
                found.add(prefix + entry.name[:-4])
        return found

    left_out = ("migrations/", *FOLDERS_OF_POSTGRES)
    return {name for name in below(files("hybridkb.sql") / place, "") if not name.startswith(left_out)}


def test_both_engines_have_the_same_statements() -> None:
    assert names("sqlite") - ONLY_SQLITE == names("postgres") - ONLY_POSTGRES
    assert names("sqlite") >= ONLY_SQLITE
    assert names("postgres") >= ONLY_POSTGRES


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_statement_is_said_once(engine: Engine) -> None:
    assert not names(engine) & names("shared")


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_every_statement_says_what_it_is_for_or_explains_itself(engine: Engine) -> None:
    for name in names(engine) | names("shared"):
        assert statement(name, engine).strip(), name


def test_engines_reach_the_same_schema() -> None:
    assert migration_versions("sqlite")[-1] == migration_versions("postgres")[-1]


def test_a_folder_lists_shared_and_own_statements_together() -> None:
    held = statement_names("transaction", "postgres")
    assert held == tuple(sorted(f"transaction/{name}" for name in (
        "begin", "begin_immediate", "commit", "free_job_lock", "lock_library", "rollback",
        "try_job_lock")))  # fmt: skip


def test_a_statement_that_is_not_there_is_an_error_of_ours() -> None:
    with pytest.raises(DatabaseError, match="no statement 'schema/nowhere' for postgres"):
        statement("schema/nowhere", "postgres")
