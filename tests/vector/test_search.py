"""Each way through the vector leg against numpy: exact where it says so, and by its own definition where not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hybridkb import HybridLibrary
from hybridkb.database import Connection
from hybridkb.embedders.guard import int8_error_many, to_int8_many
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import BrokenInvariant
from hybridkb.vector import search as search_module
from hybridkb.vector.cache import VectorCache
from hybridkb.vector.codes import QueryPlanes, encode, hamming, words_per_code
from hybridkb.vector.index import NewVector, matrix_of, store_vectors
from hybridkb.vector.search import VectorHits, VectorLeg
from hybridkb.vector.spaces import StoredSpace, ensure_space, for_space, stored_spaces
from support.raw_rows import open_tables, said

Matrix = NDArray[np.float16]


class Undo(Exception):
    pass


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    HybridLibrary.open(tmp_path / "library.db", embedder=None).close()
    database = open_tables(tmp_path / "library.db")
    try:
        with database.write() as opened:
            yield opened
            raise Undo
    except Undo:
        pass
    finally:
        database.close()


def unit(rows: NDArray[np.float64]) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float16)


def random_vectors(seed: int, count: int, dimensions: int, kind: str = "spread") -> Matrix:
    chance = np.random.default_rng(seed)
    rows = chance.standard_normal((count, dimensions))
    if kind == "ties":  # few distinct directions, each many times
        rows = np.sign(chance.standard_normal((7, dimensions)))[chance.integers(0, 7, count)]
    elif kind == "duplicates":
        rows = rows[chance.integers(0, max(1, count // 5), count)]
    elif kind == "crowded":  # so near to each other that int8 cannot tell them apart
        rows = rows[:1] + 0.01 * rows
    return unit(rows)


class Shelf:
    """Vectors of records 1 to n in a file, without any knowledge around them."""

    def __init__(self, connection: Connection, vectors: Matrix) -> None:
        self.connection, self.vectors = connection, vectors
        space = ensure_space(connection, EmbeddingSpace("test", vectors.shape[1], "1"))
        hashes = [number.to_bytes(16, "big") for number in range(len(vectors))]
        store_vectors(connection, space, [NewVector(h, v) for h, v in zip(hashes, vectors, strict=True)])
        if connection.engine == "sqlite":  # a server finds its vectors by their texts
            insert = "INSERT INTO record_vector_{space_no}(record_id, embedding) VALUES (?, vec_int8(?))"
            rows = ((place + 1, row.tobytes()) for place, row in enumerate(to_int8_many(vectors)))
            connection.text_many(insert.replace("{space_no}", str(space.number)), rows)
        worst = float(int8_error_many(vectors).max()) if len(vectors) else 0.0
        connection.rows("vector/raise_int8_error", {"space_no": space.number, "int8_error": worst})
        self.space: StoredSpace = stored_spaces(connection)[0]
        self.ids = np.zeros(len(vectors) + 1, np.int64)
        self.ids[1:] = [row[0] for row in connection.text_rows("SELECT embedding_id FROM embedding ORDER BY text_hash")]
        self.codes = np.zeros((words_per_code(vectors.shape[1]), len(vectors) + 1), np.uint64)
        if len(vectors):
            self.codes[:, 1:] = encode(vectors).T

    @property
    def leg(self) -> VectorLeg:
        """As in a process that has asked nothing yet."""
        return self.with_cache(VectorCache(self.space.space.dimensions))

    def with_cache(self, cache: VectorCache) -> VectorLeg:
        return VectorLeg(self.connection, self.space, self.ids, self.codes, cache)

    def everyone(self) -> NDArray[np.bool_]:
        return np.arange(len(self.ids)) > 0

    def best(self, query: NDArray[np.float64], allowed: NDArray[np.bool_], depth: int) -> dict[int, float]:
        """By numpy: the nearest, with all that equal the last of them."""
        scores = {n: float(self.vectors[n - 1].astype(np.float64) @ query) for n in np.flatnonzero(allowed).tolist()}
        if len(scores) <= depth:
            return scores
        cut = sorted(scores.values(), reverse=True)[depth - 1]
        return {n: score for n, score in scores.items() if score >= cut}


def as_dict(found: VectorHits) -> dict[int, float]:
    return dict(zip(found.records.tolist(), found.scores.tolist(), strict=True))


def with_ties(records: list[int], count: int, value: Callable[[int], float]) -> list[int]:
    """The ``count`` records of smallest value, with all that equal the last of them."""
    cut = sorted(map(value, records))[count - 1]
    return [record for record in records if value(record) <= cut]


def query_of(seed: int, dimensions: int) -> NDArray[np.float64]:
    return random_vectors(seed + 1000, 1, dimensions)[0].astype(np.float64)


@pytest.mark.parametrize("kind", ["spread", "ties", "duplicates", "crowded"])
@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("dimensions", [3, 64, 100])
def test_exact_ways_equal_numpy(connection: Connection, kind: str, share: float, dimensions: int) -> None:
    shelf = Shelf(connection, random_vectors(dimensions, 900, dimensions, kind))
    allowed = shelf.everyone() & (np.random.default_rng(1).random(901) < share)
    paths = set()
    for seed in range(4):
        query = shelf.vectors[seed * 7].astype(np.float64) if seed % 2 else query_of(seed, dimensions)
        for depth in (1, 10, 200):
            found = shelf.leg.search(query, allowed, depth=depth, exact=False)
            assert as_dict(found) == shelf.best(query, allowed, depth)
            assert not found.approximate
            paths.add(found.path)
    if kind == "spread":
        assert "table" in paths
    if kind == "crowded":
        assert "scan" in paths


@pytest.mark.parametrize("kind", ["spread", "ties", "crowded"])
def test_vectors_at_hand_give_the_same(connection: Connection, kind: str) -> None:
    shelf = Shelf(connection, random_vectors(5, 900, 64, kind))
    for room, paths in ((900, {"table", "scan"}), (4000, {"table", "scan"}), (10, {"table", "scan"})):
        leg = shelf.with_cache(VectorCache(64, room * 4 * 64))
        seen = []
        for seed in range(6):
            query = query_of(seed, 64)
            found = leg.search(query, shelf.everyone(), depth=20, exact=False)
            assert as_dict(found) == shelf.best(query, shelf.everyone(), 20)
            seen.append(found.path)
        assert set(seen) <= paths
        if kind == "spread":  # the table serves who asks little, and whose vectors do not fit
            assert seen == (["table"] * 2 + ["scan"] * 4 if room == 4000 else ["table"] * 6)


@pytest.mark.sqlite_only("about the tables of sqlite-vec")
def test_the_table_proves_its_answer_or_is_not_used(connection: Connection) -> None:
    shelf = Shelf(connection, random_vectors(5, 500, 32))
    query = query_of(5, 32)
    assert shelf.leg.search(query, shelf.everyone(), depth=5, exact=False).path == "table"
    connection.rows("vector/raise_int8_error", {"space_no": shelf.space.number, "int8_error": 0.9})
    found = shelf.leg.search(query, shelf.everyone(), depth=5, exact=False)  # the leg still holds the old space
    assert found.path == "scan"
    assert as_dict(found) == shelf.best(query, shelf.everyone(), 5)


@pytest.mark.sqlite_only("about the tables of sqlite-vec")
def test_a_table_that_lacks_rows_or_has_others_is_not_believed(connection: Connection) -> None:
    shelf = Shelf(connection, random_vectors(6, 300, 16))
    query = shelf.vectors[9].astype(np.float64)
    wanted = shelf.best(query, shelf.everyone(), 10)
    row = connection.text_rows("SELECT embedding FROM record_vector_1 WHERE record_id = 10")[0][0]
    for statement, bindings in (
        ("INSERT INTO record_vector_1(record_id, embedding) VALUES (9999, vec_int8(?))", (row,)),
        ("DELETE FROM record_vector_1 WHERE record_id > 100", ()),
    ):
        connection.text_rows(statement, bindings)
        found = shelf.leg.search(query, shelf.everyone(), depth=10, exact=False)
        assert as_dict(found) == wanted
        assert found.path == "scan"


@pytest.mark.parametrize("dimensions", [16, 70])
def test_codes_choose_by_their_own_definition(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, dimensions: int
) -> None:
    for name, value in (("EXACT_UP_TO", 300), ("LEAST_NEAR", 150), ("LEAST_SCORED", 50), ("TABLE_UP_TO", 300)):
        monkeypatch.setattr(search_module, name, value)
    shelf = Shelf(connection, random_vectors(8, 800, dimensions))
    allowed = shelf.everyone() & (np.arange(801) % 3 > 0)
    signs = shelf.vectors > 0
    for seed in range(5):
        query = query_of(seed, dimensions)
        low, step = float(query.min()), float(query.max() - query.min()) / 15
        levels = np.rint((query - low) / step).astype(int)

        def distance(record: int, query: NDArray[np.float64] = query) -> float:
            return float((signs[record - 1] != (query > 0)).sum())

        def estimate(record: int, low: float = low, step: float = step, levels: NDArray[np.int64] = levels) -> float:
            return -(low * int(signs[record - 1].sum()) + step * int(levels[signs[record - 1]].sum()))

        near = with_ties(np.flatnonzero(allowed).tolist(), 150, distance)
        chosen = np.zeros(801, bool)
        chosen[with_ties(near, 50, estimate)] = True
        found = shelf.leg.search(query, allowed, depth=20, exact=False)
        assert (found.path, found.approximate) == ("codes", True)
        assert as_dict(found) == shelf.best(query, chosen, 20)
        exact = shelf.leg.search(query, allowed, depth=20, exact=True)
        # a server compares its vectors exactly where they are, whatever their number
        assert (exact.path, exact.approximate) == ("scan" if connection.engine == "sqlite" else "table", False)
        assert as_dict(exact) == shelf.best(query, allowed, 20)
        truth, by_code = shelf.best(query, allowed, 20), as_dict(found)
        assert len(truth.keys() & by_code.keys()) >= (8 if dimensions < 64 else 12)


def test_products_of_planes_are_the_querys_own_but_for_its_rounding() -> None:
    vectors = random_vectors(13, 40, 100)
    for seed in range(3):
        query = query_of(seed, 100)
        found = QueryPlanes.of(query).products(np.ascontiguousarray(encode(vectors).T))
        wanted = (vectors > 0) @ query
        step = float(query.max() - query.min()) / 15
        assert np.abs(found - wanted).max() <= 100 * step / 2
        assert np.corrcoef(found, wanted)[0, 1] > 0.95
    assert QueryPlanes.of(np.ones(8)).products(encode(unit(np.ones((1, 8)))).T).tolist() == [8.0]


def test_nothing_allowed_and_nothing_embedded(connection: Connection) -> None:
    shelf = Shelf(connection, random_vectors(9, 10, 8))
    query = query_of(9, 8)
    assert len(shelf.leg.search(query, np.zeros(11, bool), depth=5, exact=False).records) == 0
    shelf.ids[:] = 0
    assert len(shelf.leg.search(query, shelf.everyone(), depth=5, exact=False).records) == 0


def test_equal_texts_share_one_vector(connection: Connection) -> None:
    shelf = Shelf(connection, random_vectors(10, 20, 8))
    shelf.ids[11:] = shelf.ids[1:11]
    shelf.vectors[10:] = shelf.vectors[:10]
    query = query_of(10, 8)
    found = shelf.leg.search(query, shelf.everyone(), depth=3, exact=True)
    assert as_dict(found) == shelf.best(query, shelf.everyone(), 3)


def test_missing_and_odd_vectors_are_damage_in_words(connection: Connection) -> None:
    shelf = Shelf(connection, random_vectors(11, 20, 8))
    query = query_of(11, 8)
    connection.text_rows(said(
        "UPDATE embedding SET vector = substr(vector, 3) WHERE embedding_id = 3",
        "UPDATE embedding SET vector = public.subvector(vector, 1, 7) WHERE embedding_id = 3",
    ))  # fmt: skip
    with pytest.raises(BrokenInvariant, match="wrong size"):
        shelf.leg.search(query, shelf.everyone(), depth=30, exact=True)
    connection.text_rows("DELETE FROM embedding WHERE embedding_id = 3")
    with pytest.raises(BrokenInvariant, match="missing"):
        shelf.leg.search(query, shelf.everyone(), depth=30, exact=True)
    with pytest.raises(BrokenInvariant):
        matrix_of([bytes(14), bytes(18)], 8)  # together they would have the right size
    if connection.engine == "sqlite":  # where each space has a table of its own
        assert for_space(connection, "vector/nearest", shelf.space).count("record_vector_1") == 1


@pytest.mark.parametrize("dimensions", [1, 8, 63, 64, 65, 384])
def test_codes_are_signs_and_hamming_counts_them(dimensions: int) -> None:
    vectors = random_vectors(12, 50, dimensions)
    codes = encode(vectors)
    assert codes.shape == (50, words_per_code(dimensions))
    bits = np.unpackbits(codes.view(np.uint8), axis=1, bitorder="little")
    assert (bits[:, :dimensions] == (vectors > 0)).all()
    assert not bits[:, dimensions:].any()
    wanted = [int(((vectors[0] > 0) != (row > 0)).sum()) for row in vectors]
    assert hamming(np.ascontiguousarray(codes.T), codes[0]).tolist() == wanted
