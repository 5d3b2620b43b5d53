"""Packs what is not packed, and gives back space: ``optimize`` and ``compact``."""

from __future__ import annotations

from hybridkb.database import Database
from hybridkb.errors import DatabaseBusy
from hybridkb.lexical.index import erase_dead_postings
from hybridkb.resident.packed import repack
from hybridkb.store.papers import erase_unused_blobs
from hybridkb.upkeep.candidate_copy import carry_purges, held_copy
from hybridkb.vector.index import erase_unused_vectors


def optimize(database: Database) -> bool:
    """Pack the tail now and merge FTS5's segments; answers stay the same. Returns whether anything was packed."""
    with database.write() as connection:
        connection.rows("state/next_generation")
        packed = repack(connection, at_least=1)
        connection.rows("lexical/optimize_words")
    return packed


def compact(database: Database) -> int:
    """Give back the space of what was deleted; purged bytes leave the file. Returns the bytes won.

    Cached vectors of texts that no record shows any more go too; putting such a text again embeds it again. So do blobs
    that no paper names. What was
    purged leaves a candidate that lies beside the library as well.

    Raises:
        DatabaseBusy: a reader still uses the old state, whose bytes therefore stay, or a reindex is at work on the
            candidate; compact again when it is done.
    """
    won = _compact(database)
    with database.read() as connection:
        purged = bool(connection.rows("canonical/all_tombstones"))
    if purged:
        with held_copy(database) as copy:
            if copy is not None:
                carry_purges(database, copy)
                won += _compact(copy)
    return won


def _compact(database: Database) -> int:
    optimize(database)
    with database.write() as connection:
        erase_unused_vectors(connection)
        erase_unused_blobs(connection)
        if erase_dead_postings(connection):
            connection.rows("state/next_generation")
            connection.rows("state/next_packing")
    with database.outside_transaction() as connection:
        before = int(connection.value("upkeep/file_bytes"))
        connection.rows("upkeep/vacuum")
        if connection.value("upkeep/checkpoint"):
            raise DatabaseBusy(
                f"{database.path}: a reader still uses the state before; what was deleted stays in the file (and its "
                "-wal) until it is done: compact again then",
                path=database.path,
            )
        return before - int(connection.value("upkeep/file_bytes"))
