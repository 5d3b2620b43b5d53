"""The tail, packed segments and both together say what a plain dictionary says."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb import HybridLibrary
from hybridkb.database import Connection, Database
from hybridkb.lexical import packing as packing_module
from hybridkb.lexical import tail as tail_module
from hybridkb.lexical.packing import pack_if_long
from hybridkb.lexical.postings import FieldPostings, PostingCache, PostingReader, TermPostings
from hybridkb.lexical.tail import Tail
from support.raw_rows import open_tables
from support.term_counts import encoded

Plain = dict[int, tuple[dict[int, int], dict[int, int]]]  # term -> (record -> count in body, in title)
Bag = dict[int, int]

bags = st.dictionaries(st.integers(1, 12), st.integers(1, 400), max_size=6)
records = st.lists(st.tuples(st.integers(1, 5), bags, bags), max_size=25)  # (gap to the next id, body, title)


def placed(drawn: list[tuple[int, Bag, Bag]], start: int = 0) -> list[tuple[int, Bag, Bag]]:
    result, record_id = [], start
    for gap, body, title in drawn:
        record_id += gap
        result.append((record_id, body, title))
    return result


def rows(those: list[tuple[int, Bag, Bag]]) -> list[tuple[int, bytes]]:
    return [(record_id, encoded(body, title)) for record_id, body, title in those]


def plain(those: list[tuple[int, Bag, Bag]]) -> Plain:
    result: Plain = defaultdict(lambda: ({}, {}))
    for record_id, *fields in those:
        for place, bag in enumerate(fields):
            for term, count in bag.items():
                result[term][place][record_id] = count
    return result


def as_plain(postings: TermPostings) -> tuple[Bag, Bag]:
    for field in (postings.body, postings.title):
        assert (np.diff(field.records) > 0).all()
    body, title = (
        dict(zip(field.records.tolist(), field.counts.tolist(), strict=True))
        for field in (postings.body, postings.title)
    )
    return body, title


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    HybridLibrary.open(tmp_path / "library.db", embedder=None).close()
    opened = open_tables(tmp_path / "library.db")
    yield opened
    opened.close()


def insert(connection: Connection, those: list[tuple[int, Bag, Bag]]) -> None:
    connection.many("lexical/insert_record_terms", rows(those))


@given(st.lists(records, max_size=8), st.integers(1, 40))
def test_a_tail_grown_in_steps_is_a_plain_dictionary(steps: list[list[tuple[int, Bag, Bag]]], largest: int) -> None:
    tail, everything, start = Tail(), [], 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_module, "LARGEST_MERGE", largest)
        for step in steps:
            those = placed(step, start)
            start = those[-1][0] if those else start
            everything += those
            before = [block.terms.copy() for block in tail.blocks]
            grown = tail.with_rows(rows(those))
            for block, copy in zip(tail.blocks, before, strict=True):
                assert (block.terms == copy).all()  # readers keep what they started with
            tail = grown
    wanted = plain(everything)
    for term in range(14):
        body: Bag = {}
        title: Bag = {}
        for block in tail.blocks:
            where = block.find(term)
            for record_id, in_body, in_title in zip(
                block.records[where].tolist(), block.body[where].tolist(), block.title[where].tolist(), strict=True
            ):
                body |= {record_id: in_body} if in_body else {}
                title |= {record_id: in_title} if in_title else {}
        assert (body, title) == wanted.get(term, ({}, {}))


def test_blocks_stay_few() -> None:
    tail = Tail()
    for record_id in range(1, 1001):
        tail = tail.with_rows([(record_id, encoded({1: 1, record_id: 2}, {}))])
    assert len(tail.blocks) <= 12
    assert sum(len(block.terms) for block in tail.blocks) == 1999


@pytest.mark.parametrize("seed", range(6))
def test_packed_postings_equal_the_tail_for_every_term(
    database: Database, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing_module, "SEGMENT_SPAN", 16)
    chance = random.Random(seed)

    def bag() -> Bag:
        return {chance.randint(1, 9): chance.choice([1, 2, 255, 256, 70_000]) for _ in range(chance.randint(0, 5))}

    those = placed([(chance.randint(1, 30), bag(), bag()) for _ in range(60)])
    later = placed([(1, bag(), bag()) for _ in range(10)], those[-1][0])
    wanted, both = plain(those), plain(those + later)
    with database.write() as connection:
        insert(connection, those)
        assert not pack_if_long(connection, at_least=61)
        assert pack_if_long(connection, at_least=60)
        assert connection.row("lexical/tail_size") == (0, 0, 0)
        segments = connection.rows("lexical/segments")
        assert len(segments) > 1
        assert all(last - first < 16 for _, first, last in segments)
        found = PostingReader(connection, Tail(), PostingCache()).read(range(1, 12))
        assert [as_plain(one) for one in found] == [wanted.get(term, ({}, {})) for term in range(1, 12)]
        tail = Tail().with_rows(rows(later))
        cache = PostingCache()
        reader = PostingReader(connection, tail, cache)
        for _ in range(2):  # the second time from the cache
            found = reader.read([3, 1, 3, 99])
            assert [as_plain(one) for one in found] == [both.get(term, ({}, {})) for term in (3, 1, 3, 99)]


@pytest.mark.parametrize("bag", [{}, {1: 1}])
def test_records_without_words_can_be_packed(database: Database, bag: Bag) -> None:
    with database.write() as connection:
        insert(connection, [(1, {}, {}), (2, {}, bag)])
        assert pack_if_long(connection, at_least=1)
        assert connection.rows("lexical/segments") == [(1, 1, 2)]
        found = PostingReader(connection, Tail(), PostingCache()).read([1])
        assert as_plain(found[0]) == ({}, {2: 1} if bag else {})


def test_a_gap_wider_than_a_segment_is_packed(database: Database) -> None:
    those = [(1, {1: 1}, {}), (200_000, {1: 2}, {})]
    with database.write() as connection:
        insert(connection, those)
        pack_if_long(connection, at_least=1)
        found = PostingReader(connection, Tail(), PostingCache()).read([1])
        assert as_plain(found[0]) == ({1: 1, 200_000: 2}, {})


def term_of(size: int) -> TermPostings:
    field = FieldPostings(np.arange(size, dtype=np.int32), np.ones(size, np.uint8))
    return TermPostings(field, FieldPostings(np.empty(0, np.int32), np.empty(0, np.uint8)))


def test_the_cache_lets_the_least_recently_used_go() -> None:
    cache = PostingCache(most_bytes=3 * (200 + 500))
    for term in (1, 2, 3):
        cache.put(term, term_of(100))
    assert cache.get(1) is not None
    cache.put(4, term_of(100))
    assert [cache.get(term) is not None for term in (1, 2, 3, 4)] == [True, False, True, True]


def test_the_cache_keeps_within_its_bytes() -> None:
    cache = PostingCache(most_bytes=10_000)
    for term in range(100):
        cache.put(term, term_of(term))
        cache.put(term, term_of(term))  # twice the same is counted once
    kept = [found for term in range(100) if (found := cache.get(term)) is not None]
    assert 5 < len(kept) < 20
    assert sum(one.nbytes + 200 for one in kept) <= 10_000
    cache.put(1000, term_of(100_000))
    assert cache.get(1000) is None
