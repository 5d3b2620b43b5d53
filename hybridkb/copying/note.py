"""The note in the target: of what it is a copy, and how far it came. It changes in the transaction of each batch."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hybridkb.copying.rows import Tally
from hybridkb.copying.tables import Table
from hybridkb.database import Connection, Value
from hybridkb.errors import DatabaseError
from hybridkb.store.unfinished import NOTE


@dataclass(frozen=True, slots=True)
class Part:
    """How far one table came.

    Attributes:
        tally: what was read of it, and written.
        after: the key of the last row; None before the first.
        done: whether that was the last of all.
    """

    tally: Tally = field(default_factory=Tally)
    after: tuple[Value, ...] | None = None
    done: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """What the target says of itself until it is whole.

    Attributes:
        source: the file or address that it is a copy of, without a password.
        state: names the state of the source.
        parts: by table, how far it came.
    """

    source: str
    state: str
    parts: Mapping[str, Part] = field(default_factory=dict)

    def part(self, table: Table) -> Part:
        """How far a table came."""
        return self.parts.get(table.name, Part())

    def with_part(self, table: Table, part: Part) -> Note:
        """The note after a step of one table."""
        return replace(self, parts={**self.parts, table.name: part})

    @property
    def rows(self) -> int:
        """How many rows were copied."""
        return sum(part.tally.rows for part in self.parts.values())

    def written(self) -> str:
        """The note as JSON."""
        parts = {
            name: {
                "rows": part.tally.rows, "bytes": part.tally.bytes, "digest": part.tally.name, "done": part.done,
                "after": None if part.after is None else [_plain(value) for value in part.after],
            }
            for name, part in self.parts.items()
        }  # fmt: skip
        return json.dumps({"source": self.source, "state": self.state, "parts": parts}, sort_keys=True)


def read_note(connection: Connection) -> Note | None:
    """The note of a database; None when it is no unfinished copy."""
    text = connection.value("library/get", {"name": NOTE})
    return None if text is None else _read(text)


def write_note(connection: Connection, note: Note) -> None:
    """Keep the note, inside the caller's write transaction."""
    connection.rows("library/set", {"name": NOTE, "value": note.written()})


def require_note(connection: Connection, note: Note, path: str) -> None:
    """Refuse to go on when somebody else wrote into the target meanwhile.

    Raises:
        DatabaseError: the note is another than the one that was left.
    """
    if connection.value("library/get", {"name": NOTE}) != note.written():
        raise DatabaseError(
            f"{path}: somebody else changed this unfinished copy meanwhile; see that only one hybridkb copy is at work "
            "on it, then start it again",
            path=path,
        )


def _plain(value: Value) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _value(plain: Any) -> Value:
    value: Value = bytes.fromhex(plain["hex"]) if isinstance(plain, dict) else plain
    return value


def _read(text: str) -> Note:
    stored = json.loads(text)
    return Note(stored["source"], stored["state"], {name: _part(one) for name, one in stored["parts"].items()})


def _part(stored: Mapping[str, Any]) -> Part:
    tally = Tally(stored["rows"], stored["bytes"], int.from_bytes(bytes.fromhex(stored["digest"]), "little"))
    after: Sequence[Any] | None = stored["after"]
    return Part(tally, None if after is None else tuple(_value(one) for one in after), stored["done"])
