"""The vector leg: the nearest of the allowed records, exactly or through 1-bit codes.

Ways to one list. Unless a search asks for HNSW, whether it is exact depends on the number of candidates alone; which
exact way is taken, only on cost:

* *table* (small libraries, while few vectors are at hand): a KNN over the sqlite-vec table of int8 vectors, then
  exact scores. Quantising moves a unit vector by at most a known error, so the exact score of the last one kept
  proves that nothing outside can be nearer; where it does not, the scan answers. On PostgreSQL, of any size, the
  server compares the stored vectors themselves in float32, whose error is known as well.
* *scan* (up to 20,000 candidates, or ``exact=True``): every candidate's stored vector.
* *codes* (more candidates): the nearest sign codes, of those the best by an estimate from the codes
  (each with the whole class of equal value at the cut), then exact scores.
* *hnsw* (asked for by the search, on PostgreSQL, where an operator built the index): what the index finds, then exact
  scores; one of the other ways where it finds too few.

Scores are float64 dot products of float16 values: sums of multiples of 2^-48 below 2, exact in
any order. Where many are compared, float32 products go first: they are off by less than a known error, so those that
may be among the best are known, and only they are multiplied exactly. They are added up without BLAS, whose threads
spin and slow down a busy machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, ids_parameter
from hybridkb.embedders.guard import int8_error, to_int8, to_stored
from hybridkb.errors import BrokenInvariant
from hybridkb.vector.cache import VectorCache
from hybridkb.vector.codes import QueryPlanes, encode, hamming, nearest_within
from hybridkb.vector.hnsw import nearest_through_hnsw, texts_to_ask
from hybridkb.vector.index import matrix_of
from hybridkb.vector.spaces import StoredSpace, for_space, stored_spaces

EXACT_UP_TO = 20_000
LEAST_NEAR = 4000  # candidates taken by code distance, at least
NEAR_SHARE = 64  # ... or one in so many
LEAST_SCORED = 1000  # of those, scored exactly at least
TABLE_UP_TO = 20_000  # rows; beyond, reading only the candidates' vectors is cheaper than the table's full scan
TABLE_MOST_NEAREST = 4096  # sqlite-vec's own limit on k
_FLOAT32_SLACK = 1e-5  # sqlite-vec computes its distances in float32
_LENGTH_SLACK = 2e-3  # rounding to float16 leaves a vector's length within 2^-11 of 1
_BLOCK = 512  # vectors; a block stays in the processor's cache

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class VectorHits:
    """The leg's best records, in no particular order; the whole tie class at the cut is there.

    Attributes:
        records: record ids.
        scores: cosine similarity.
        approximate: whether codes or an index chose the candidates.
        path: ``"table"``, ``"scan"``, ``"codes"`` or ``"hnsw"``.
    """

    records: Ids
    scores: NDArray[np.float64]
    approximate: bool
    path: str


class VectorLeg:
    """Finds the nearest vectors inside one read transaction."""

    def __init__(
        self,
        connection: Connection,
        space: StoredSpace,
        embedding_ids: Ids,
        codes: NDArray[np.uint64],
        cache: VectorCache,
    ) -> None:
        """Keep the serving space, its resident columns (by record id; codes word by word) and the vectors at hand."""
        self._cache = cache
        self._connection = connection
        self._space = space
        self._embedding_ids = embedding_ids
        self._codes = codes

    def search(
        self,
        query: NDArray[np.float64],
        allowed: NDArray[np.bool_],
        *,
        depth: int,
        exact: bool,
        approximate: bool = False,
    ) -> VectorHits:
        """Return the ``depth`` nearest of the allowed records that have a vector.

        Args:
            query: unit vector with float16 values, shape (dimensions,).
            allowed: by record id.
            depth: how many; ties at the cut come along.
            exact: compare with every candidate whatever their number.
            approximate: ask the HNSW index, which is there.
        """
        eligible = allowed & (self._embedding_ids > 0)
        count = int(np.count_nonzero(eligible))
        indexed = self._through_index(query, eligible, count, depth) if approximate else None
        if indexed is not None:
            return indexed
        if not exact and count > EXACT_UP_TO:
            chosen = self._by_code(query, eligible, count, depth)
            return self._scored(query, chosen, depth, approximate=True, path="codes")
        candidates = np.flatnonzero(eligible)
        if count:
            table = self._through_server if self._connection.engine == "postgres" else self._through_table
            proven = None if self._cache.pays(self._embedding_ids[candidates]) else table(query, candidates, depth)
            if proven is not None:
                return proven
            return self._scored(query, candidates, depth, approximate=False, path="scan")
        return VectorHits(candidates, np.empty(0), False, "scan")

    def scores_of(self, query: NDArray[np.float64], records: Ids) -> dict[int, float]:
        """Cosines of these records; those without a vector are left out."""
        held = records[self._embedding_ids[records] > 0]
        hits = self._scored(query, held, len(held), approximate=False, path="scan") if len(held) else None
        return dict(zip(hits.records.tolist(), hits.scores.tolist(), strict=True)) if hits else {}

    def _by_code(self, query: NDArray[np.float64], eligible: NDArray[np.bool_], count: int, depth: int) -> Ids:
        """The candidates to score exactly: the nearest by code distance, and of those the best by estimate.

        Both cuts take the whole class of equal value, and their sizes depend on the number of candidates
        alone, so the answer is a function of what may be found and nothing else.
        """
        near = max(LEAST_NEAR, count // NEAR_SHARE, 4 * depth)
        best = max(LEAST_SCORED, 2 * depth)
        if near < count:
            distances = hamming(self._codes, encode(query[np.newaxis].astype(np.float16))[0])
            furthest = 64 * len(self._codes)
            np.maximum(distances, (~eligible).astype(np.uint16) * np.uint16(furthest + 1), out=distances)
            candidates = np.flatnonzero(distances <= nearest_within(distances, near, furthest))
        else:
            candidates = np.flatnonzero(eligible)
        if best < len(candidates):
            theirs = np.array([word.take(candidates) for word in self._codes])  # all at once would copy every code
            estimates = -QueryPlanes.of(query).products(theirs)
            candidates = candidates[estimates <= np.partition(estimates, best - 1)[best - 1]]
        return candidates

    def _through_index(
        self, query: NDArray[np.float64], eligible: NDArray[np.bool_], count: int, depth: int
    ) -> VectorHits | None:
        """Ask the HNSW index; None when it does not pay, or found fewer than are wanted."""
        texts = texts_to_ask(depth, count, int(np.count_nonzero(self._embedding_ids)))
        if texts is None:
            return None
        found = nearest_through_hnsw(self._connection, self._space, query.astype(np.float16), texts)
        found = np.sort(found[found < len(eligible)])
        found = found[eligible[found]]
        if len(found) < min(depth, count):
            return None
        return self._scored(query, found, depth, approximate=True, path="hnsw")

    def _through_table(self, query: NDArray[np.float64], candidates: Ids, depth: int) -> VectorHits | None:
        """Ask the sqlite-vec table; None when it is not the cheapest way or its answer proves nothing."""
        rows = int(np.count_nonzero(self._embedding_ids))
        nearest = 2 * depth + 100
        if len(candidates) <= nearest or rows > TABLE_UP_TO or nearest > TABLE_MOST_NEAREST:
            return None
        asked = query.astype(np.float16)
        bindings = {"query": to_int8(asked), "k": nearest}
        if len(candidates) == rows:
            found = self._connection.text_rows(for_space(self._connection, "vector/nearest", self._space), bindings)
        else:
            sql = for_space(self._connection, "vector/nearest_allowed", self._space)
            found = self._connection.text_rows(sql, {**bindings, **ids_parameter(candidates)})
        if len(found) < nearest:
            return None  # the table lacks rows; the scan does not need it
        records = np.array([row[0] for row in found], np.int64)
        if not np.isin(records, candidates).all():
            return None  # the table has rows that it should not have; the scan does not see them
        hits = self._scored(query, records, depth, approximate=False, path="table")
        number = self._space.number
        moved = max(stored.int8_error for stored in stored_spaces(self._connection) if stored.number == number)
        outside = 1.0 - max(row[1] for row in found) + moved + int8_error(asked) + _FLOAT32_SLACK
        return hits if float(hits.scores.min()) > outside + _LENGTH_SLACK else None

    def _through_server(self, query: NDArray[np.float64], candidates: Ids, depth: int) -> VectorHits | None:
        """Let PostgreSQL compare the stored vectors, in float32; None where that spares little or proves nothing.

        Vectors are named by their own numbers, which spares the server the way from records to them. Some that
        it gives may belong to no candidate; all candidates that it does not give are farther than the last it gives.
        """
        nearest, theirs = 2 * depth + 100, self._embedding_ids[candidates]
        if len(candidates) <= nearest:
            return None
        bindings = {"query": self._connection.vector_parameter(to_stored(query.astype(np.float16))), "k": nearest}
        if len(candidates) == int(np.count_nonzero(self._embedding_ids)):
            found = self._connection.text_rows(for_space(self._connection, "vector/nearest", self._space), bindings)
        else:
            sql = for_space(self._connection, "vector/nearest_allowed", self._space)
            found = self._connection.text_rows(sql, {**bindings, **ids_parameter(np.unique(theirs))})
        records = candidates[np.isin(theirs, np.array([row[0] for row in found], np.int64))]
        if len(found) < nearest or len(records) < depth:
            return None  # several show one text, or vectors are missing: the scan tells
        hits = self._scored(query, records, depth, approximate=False, path="table")
        outside = 1.0 - max(row[1] for row in found) + _float32_error(len(query))
        return hits if float(hits.scores.min()) > outside + _LENGTH_SLACK else None

    def _scored(
        self, query: NDArray[np.float64], records: Ids, depth: int, *, approximate: bool, path: str
    ) -> VectorHits:
        if 2 * depth < len(records) <= self._cache.capacity // 2:
            records = records[self._may_be_best(query, self._embedding_ids[records], depth)]
        blocks = self._vectors(self._embedding_ids[records])
        values = np.concatenate([np.vecdot(block.astype(np.float64), query) for block in blocks])
        if len(values) > depth:
            cut = np.partition(values, len(values) - depth)[len(values) - depth]
            kept = np.flatnonzero(values >= cut)
            records, values = records[kept], values[kept]
        return VectorHits(records, values, approximate, path)

    def _may_be_best(self, query: NDArray[np.float64], embedding_ids: Ids, depth: int) -> Ids:
        """Places of all that may be among the ``depth`` nearest or tied with the last of them.

        A float32 dot product of n terms, added in any order, is off by at most n * 2^-24 times the lengths
        (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1).
        """
        products = self._cache.products(embedding_ids, query.astype(np.float32), self._read)
        cut = float(np.partition(products, len(products) - depth)[len(products) - depth])
        error = _float32_error(len(query))
        return np.flatnonzero(products >= np.float32(cut - 2.0 * error - 2.0**-22))

    def _vectors(self, embedding_ids: Ids) -> Iterator[NDArray[np.float16] | NDArray[np.float32]]:
        """Stored vectors in the order of the embedding ids, in blocks; float32 those that are kept at hand."""
        for start in range(0, len(embedding_ids), _BLOCK):
            wanted = embedding_ids[start : start + _BLOCK]
            if len(embedding_ids) > self._cache.capacity // 2:  # a scan of everything would push out all that is warm
                yield self._read(wanted)
            else:
                yield self._cache.gather(wanted, self._read)

    def _read(self, embedding_ids: Ids) -> NDArray[np.float16]:
        rows = self._connection.rows("vector/vectors", self._connection.array_parameter(embedding_ids))
        if len(rows) != len(embedding_ids):
            raise BrokenInvariant("stored vectors are missing; run rebuild()")
        return matrix_of([row[0] for row in rows], self._space.space.dimensions)


def _float32_error(terms: int) -> float:
    """How far a float32 dot product of so many terms, added in any order, may be off."""
    return (terms + 2) * 2.0**-24 * (1.0 + _LENGTH_SLACK) ** 2
