"""The target of a copy: new, empty, or an unfinished copy of the same source. Anything else is left alone."""

from __future__ import annotations

import os

from hybridkb.copying.made_anew import make_words_table
from hybridkb.copying.note import Note, read_note, write_note
from hybridkb.copying.rows import named
from hybridkb.copying.source import Source
from hybridkb.copying.tables import TABLES
from hybridkb.database import Connection, Database
from hybridkb.errors import DatabaseError, InvalidInput, UnfinishedCopy
from hybridkb.store.unfinished import NOTE
from hybridkb.vector.spaces import drop_vector_table, stored_spaces

Place = str | os.PathLike[str]
"""A file, or the address of a library on a server."""

LOCK = "copy"
"""The job of whoever copies into a library."""


def begin(target: Database, source: Source, shown: str, *, restart: bool) -> tuple[Note, bool]:
    """Find out where to go on, or prepare an empty target. Returns the note in it, and whether it was there.

    Args:
        target: held by the job's lock.
        source: what is copied.
        shown: its file or address, without a password.
        restart: throw an unfinished copy away.

    Raises:
        InvalidInput: the target holds something else.
        UnfinishedCopy: it is an unfinished copy of something else, or of another state of the source.
    """
    with target.read() as connection:
        note = read_note(connection)
        if note is None:
            _require_empty(connection, target.path)
    if note is not None and not restart:
        _require_same(note, source, shown, target.path)
        return note, True
    with target.write() as connection:
        if note is not None:
            _clear(connection)
        _require_empty(connection, target.path)
        note = Note(shown, source.state)
        for name, _ in connection.rows("library/all"):
            connection.rows("library/forget", {"name": name})
        make_words_table(connection, source.settings)
        write_note(connection, note)
    return note, False


def finish(connection: Connection, source: Source) -> None:
    """Let the target be a library, inside the caller's write transaction: numbers, settings, state; the note goes.

    Raises:
        DatabaseError: the settings did not arrive as they were.
    """
    _set_numbers(connection, source)
    connection.rows("library/forget", {"name": NOTE})
    for name, value in source.stored.items():
        connection.rows("library/set", {"name": name, "value": value})
    if dict(connection.rows("library/all")) != source.stored:
        raise DatabaseError("table library: the settings are not those of the source; nothing was finished")
    generation, packing = connection.row("state/get") or (0, 0)
    # whoever has the target open since it was empty sees by these that it changed
    connection.rows(
        "copy/set_state",
        {"generation": max(source.generation, generation + 1), "packing": max(source.packing, packing + 1)},
    )


def refuse_itself(source: Place, target: Place, shown: str) -> None:
    """Refuse to copy a library onto itself. ``shown`` is the source without a password.

    Raises:
        InvalidInput: both name one place.
    """
    one, other = os.fspath(source), os.fspath(target)
    files = os.path.exists(one) and os.path.exists(other)
    if one == other or (files and os.path.samefile(one, other)):
        raise InvalidInput(f"{shown}: source and target are the same; name another target", field="target")


def _require_same(note: Note, source: Source, shown: str, path: str) -> None:
    if note.state == source.state:
        return
    raise UnfinishedCopy(
        f"{path}: an unfinished copy of {note.source}, in another state than {shown} is in now (it changed since, or "
        "is another library); going on would mix the two. Give --restart to throw the unfinished copy away and begin "
        "anew",
        path=path,
        source=note.source,
    )


def _require_empty(connection: Connection, path: str) -> None:
    held = [table.name for table in TABLES if connection.text_rows(named(connection, "any_row", table))[0][0]]
    if held:
        raise InvalidInput(
            f"{path} holds a library already (table {held[0]} is not empty), and a copy never adds to one; name a new "
            "file, another schema= in the address, or an empty library",
            field="target",
        )


def _clear(connection: Connection) -> None:
    for stored in stored_spaces(connection):
        drop_vector_table(connection, stored)
    for table in reversed(TABLES):
        connection.text_rows(named(connection, "clear_rows", table))


def _set_numbers(connection: Connection, source: Source) -> None:
    own: dict[str, int] = dict(connection.rows("copy/numbers"))
    for table in TABLES:
        if table.numbered:
            highest = connection.text_rows(named(connection, "highest_key", table))[0][0]
            number = max(highest, source.numbers.get(table.name, 0), own.get(table.name, 0))
            if number:
                connection.rows("copy/set_number", {"table": table.name, "number": number})
