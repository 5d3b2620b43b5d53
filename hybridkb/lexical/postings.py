"""Which records hold a term, and how often: packed segments and the unpacked tail as one answer."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.lexical.layout import decode_posting
from hybridkb.lexical.tail import Tail

CACHE_BYTES = 32 * 2**20
GROUP_BYTES = 48 * 2**20

Ids = NDArray[np.int64]
Frequencies = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class FieldPostings:
    """Records that hold the term in one field (ids ascending, each once), and how often."""

    records: Ids
    counts: Frequencies

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return int(self.records.nbytes + self.counts.nbytes)


@dataclass(frozen=True, slots=True)
class TermPostings:
    """One term's postings in both fields; pieces follow each other in record order."""

    body: FieldPostings
    title: FieldPostings

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return self.body.nbytes + self.title.nbytes


class HasBytes(Protocol):
    """Something that knows how much memory it takes."""

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        ...


Name = TypeVar("Name", bound=Hashable)
Held = TypeVar("Held", bound=HasBytes)


class ByteBoundCache(Generic[Name, Held]):
    """Keeps so many bytes, least recently used out first. Thread-safe."""

    def __init__(self, most_bytes: int = CACHE_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries: OrderedDict[Name, Held] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Name) -> Held | None:
        """Return what is kept under a name if it is at hand."""
        with self._lock:
            found = self._entries.get(name)
            if found is not None:
                self._entries.move_to_end(name)
            return found

    def put(self, name: Name, held: Held) -> None:
        """Keep something under a name."""
        with self._lock:
            if name in self._entries:
                return
            self._entries[name] = held
            self._bytes += held.nbytes + 200
            while self._bytes > self._most_bytes and self._entries:
                _, dropped = self._entries.popitem(last=False)
                self._bytes -= dropped.nbytes + 200


class PostingCache(ByteBoundCache[int, TermPostings]):
    """Unpacked packed postings of one packing, by term id."""


class PostingReader:
    """Reads postings inside one read transaction.

    Args:
        connection: inside the transaction.
        tail: what is not packed yet.
        cache: packed postings of this packing.
    """

    def __init__(self, connection: Connection, tail: Tail, cache: PostingCache) -> None:
        self._connection = connection
        self._tail = tail
        self._cache = cache

    def read(self, term_ids: Sequence[int]) -> list[TermPostings]:
        """Return the postings of each term, in the order given."""
        packed = {term_id: found for term_id in term_ids if (found := self._cache.get(term_id)) is not None}
        missing = [term_id for term_id in dict.fromkeys(term_ids) if term_id not in packed]
        packed.update(self._unpack(missing))
        return [self._with_tail(term_id, packed[term_id]) for term_id in term_ids]

    def _unpack(self, term_ids: list[int]) -> dict[int, TermPostings]:
        if not term_ids:
            return {}
        pieces: dict[int, list[tuple[int, bytes, bytes | None]]] = {term_id: [] for term_id in term_ids}
        for term_id, first, body, title in self._connection.rows(
            "lexical/postings_of_terms", {"terms": json.dumps(term_ids)}
        ):
            pieces[term_id].append((first, body, title))
        unpacked = {term_id: _join(parts) for term_id, parts in pieces.items()}
        for term_id, postings in unpacked.items():
            self._cache.put(term_id, postings)
        return unpacked

    def _with_tail(self, term_id: int, packed: TermPostings) -> TermPostings:
        body, title = [packed.body], [packed.title]
        for block in self._tail.blocks:
            where = block.find(term_id)
            if where.start == where.stop:
                continue
            records = block.records[where]
            for field, counts in ((body, block.body[where]), (title, block.title[where])):
                held = counts > 0
                field.append(FieldPostings(records[held], counts[held]))
        if len(body) == 1:
            return packed
        return TermPostings(_concatenate(body), _concatenate(title))


def _join(parts: list[tuple[int, bytes, bytes | None]]) -> TermPostings:
    body = [_field(first, blob) for first, blob, _ in parts if blob]
    title = [_field(first, blob) for first, _, blob in parts if blob]
    return TermPostings(_concatenate(body), _concatenate(title))


def _field(first: int, blob: bytes) -> FieldPostings:
    offsets, counts = decode_posting(blob)
    return FieldPostings(offsets.astype(np.int64) + first, counts)


def _concatenate(parts: list[FieldPostings]) -> FieldPostings:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return FieldPostings(np.empty(0, np.int64), np.empty(0, np.uint8))
    return FieldPostings(
        np.concatenate([part.records for part in parts]), np.concatenate([part.counts for part in parts])
    )
