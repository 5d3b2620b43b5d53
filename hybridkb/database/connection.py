"""What the rooms above may ask of a connection, whichever engine answers.

Statements are named; how an engine says them is its own matter (``sql/``). The few things that no statement can hide
are methods here: how a list of ids is bound, how words are kept, how a phrase is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hybridkb.database.statements import Engine, statement

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]
Bindings: TypeAlias = Mapping[str, Any] | Sequence[Any]


class Connection(ABC):
    """Runs named statements from ``sql/``, values always bound. Used by one thread at a time."""

    engine: ClassVar[Engine]

    def statement(self, name: str) -> str:
        """The statement of that name as this engine says it."""
        return statement(name, self.engine)

    def rows(self, name: str, bindings: Bindings = ()) -> list[Row]:
        """Run a statement and return all rows."""
        return self.text_rows(self.statement(name), bindings)

    def row(self, name: str, bindings: Bindings = ()) -> Row | None:
        """Run a statement that gives at most one row."""
        return self.text_row(self.statement(name), bindings)

    def value(self, name: str, bindings: Bindings = ()) -> Any:
        """Run a statement and return the first column of its first row, or None."""
        found = self.row(name, bindings)
        return None if found is None else found[0]

    def many(self, name: str, rows: Iterable[Bindings]) -> None:
        """Run one statement for each set of bindings."""
        self.text_many(self.statement(name), rows)

    @abstractmethod
    def text_rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run SQL that the filter compiler or a per-space template made. Values are always bound."""

    @abstractmethod
    def text_row(self, sql: str, bindings: Bindings = ()) -> Row | None:
        """Run SQL that gives at most one row."""

    @abstractmethod
    def text_many(self, sql: str, rows: Iterable[Bindings]) -> None:
        """Run one templated statement for each set of bindings."""

    @abstractmethod
    def array_parameter(self, ids: NDArray[np.int64]) -> dict[str, Any]:
        """Bind ids as the array ``:ids``: no text is made of them. At least one; keep ``ids`` alive."""

    @abstractmethod
    def vector_parameter(self, vector: bytes) -> Any:
        """Bind a stored vector: float16 numbers, little-endian. Statements hand vectors out in the same form."""

    @abstractmethod
    def json_parameter(self, text: str) -> str:
        """Bind a JSON document that statements take apart."""

    @abstractmethod
    def words_row(self, record_id: int, title: Sequence[str], body: Sequence[str]) -> Row:
        """The bindings of ``lexical/insert_words`` for the analysed words of a record, in reading order."""

    @abstractmethod
    def phrase_match(self, words: Sequence[str]) -> str:
        """What ``lexical/phrase_records`` is asked for records in which words, or words of their stems, follow
        each other."""

    @abstractmethod
    def indexed_word(self, word: str) -> str:
        """The form under which the engine's own word index keeps a word."""

    @abstractmethod
    def stored_bytes(self) -> int:
        """How much the library takes on disk, in bytes."""

    @abstractmethod
    def changes(self) -> int:
        """Count the rows that the last statement changed."""

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
