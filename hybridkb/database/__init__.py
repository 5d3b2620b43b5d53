"""Connections, transactions, statements and migrations: the only room that knows the file."""

from hybridkb.database.connection import Connection, Row, Value
from hybridkb.database.database import Database
from hybridkb.database.parameters import array_parameter, hashes_parameter, ids_parameter, read_ids
from hybridkb.database.statements import statement

__all__ = [
    "Connection",
    "Database",
    "Row",
    "Value",
    "array_parameter",
    "hashes_parameter",
    "ids_parameter",
    "read_ids",
    "statement",
]
