"""Connections, transactions, statements and migrations: the only room that knows the engines."""

from hybridkb.database.connection import Connection, Row, Value
from hybridkb.database.database import Database
from hybridkb.database.opening import grant, is_address, open_database, sibling_of
from hybridkb.database.parameters import hashes_parameter, ids_parameter, read_ids
from hybridkb.database.sibling import Sibling

__all__ = [
    "Connection",
    "Database",
    "Row",
    "Sibling",
    "Value",
    "grant",
    "hashes_parameter",
    "ids_parameter",
    "is_address",
    "open_database",
    "read_ids",
    "sibling_of",
]
