"""Schema versions: new files are made, older ones migrated step by step, newer ones refused.

A step is a folder ``sql/sqlite/migrations/<version>/`` of statements run in order.
The statements of a step and the note that it ran share one transaction. Steps are
never edited once released.
"""

from __future__ import annotations

from hybridkb.database.connection import Connection
from hybridkb.database.sqlite_connection import APPLICATION_ID
from hybridkb.database.statements import migration_versions, statement_names
from hybridkb.errors import DatabaseError, SchemaTooNew, SchemaTooOld

SCHEMA_VERSION = 4


def schema_version(connection: Connection) -> int:
    """Read the version of the file; 0 means an empty file."""
    return int(connection.value("schema/version"))


def require_known_schema(connection: Connection, path: str) -> None:
    """Refuse files that are not ours, too new, or not migrated.

    Raises:
        DatabaseError: the file holds another program's tables.
        SchemaTooNew: a newer hybridkb wrote it.
        SchemaTooOld: it is older and was opened without the right to migrate it, or has no version.
    """
    version = schema_version(connection)
    application = int(connection.value("schema/application"))
    if application != APPLICATION_ID:
        raise DatabaseError(f"{path}: this SQLite file is not a hybridkb library; give another path", path=path)
    if version < 1:
        raise SchemaTooOld(
            f"{path}: the file says that it is a hybridkb library but carries no schema version; restore a copy",
            found=version,
            supported=SCHEMA_VERSION,
            path=path,
        )
    if version > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"{path}: written by a newer hybridkb (schema {version}, this one reads up to {SCHEMA_VERSION}); upgrade "
            "hybridkb",
            found=version,
            supported=SCHEMA_VERSION,
            path=path,
        )
    if version < SCHEMA_VERSION:
        raise SchemaTooOld(
            f"{path}: schema {version} must be migrated to {SCHEMA_VERSION}; open it once without read_only",
            found=version,
            supported=SCHEMA_VERSION,
            path=path,
        )


def is_empty(connection: Connection) -> bool:
    """Tell whether the file holds no table at all, and was claimed by no other program."""
    claimed_by, version = int(connection.value("schema/application")), schema_version(connection)
    return claimed_by in (0, APPLICATION_ID) and version == 0 and int(connection.value("schema/tables")) == 0


def migrate(connection: Connection, path: str) -> list[int]:
    """Bring the file to the current schema inside the caller's write transaction.

    Returns the versions whose steps ran now, oldest first.
    """
    version = schema_version(connection)
    if version == 0 and is_empty(connection):
        connection.rows("schema/set_application")
    elif int(connection.value("schema/application")) != APPLICATION_ID or not 1 <= version <= SCHEMA_VERSION:
        require_known_schema(connection, path)
    ran = [step for step in migration_versions("sqlite") if step > version]
    for step in ran:
        for name in statement_names(f"migrations/{step:04d}", "sqlite"):
            connection.rows(name)
        connection.rows(f"schema/set_version_{step}")
    return ran
