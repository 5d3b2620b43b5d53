"""The textbook recipe (``bench/textbook.py``): FTS5 with porter, vec0 with float32, RRF in one SQL statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
import numpy as np
from textbook import Found, Row, Textbook

from peers.shape import Document, Filter, Hit, Mode, Peer, Vector, Vectors, batches

_BATCH = 1000


class Adapted(Peer):
    """The recipe over one file."""

    distributions = ("apsw", "sqlite-vec")
    note = "as typed: the text is handed to MATCH"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self.open()
        self.add(documents, vectors)
        self._textbook.finish()

    def open(self) -> None:
        self._textbook = Textbook(str(self._path), self.dimensions)

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        for where, batch in batches(documents, _BATCH):
            rows = [Row(one.name, one.title, one.body, one.available_at, one.tags) for one in batch]
            self._textbook.add(rows, vectors[where].astype(np.float16))

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        wanted: dict[str, Any] = {"top_k": k}
        if narrow is not None:
            wanted |= {"tag": narrow.tag, "before": narrow.before}
        half = vector.astype(np.float16)
        if mode == "semantic" or not text.strip():
            return _hits([] if mode == "lexical" else self._textbook.semantic(half, **wanted))
        if mode == "lexical":
            return _hits(self._textbook.lexical(text, **wanted))
        return _hits(self._textbook.hybrid(text, half, **wanted))

    def search_as_typed(self, text: str, k: int) -> list[Hit]:
        statement = (
            "SELECT p.name, -bm25(words), p.title, p.body FROM words JOIN passage AS p ON p.id = words.rowid "
            "WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?"
        )
        connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return _hits([Found(*row) for row in connection.execute(statement, (text, k))])
        finally:
            connection.close()

    def close(self) -> None:
        self._textbook.close()

    @property
    def _path(self) -> Any:
        return self.folder / "textbook.db"


def _hits(found: Sequence[Found]) -> list[Hit]:
    return [Hit(one.name, one.score, f"{one.title}\n\n{one.body}") for one in found]
