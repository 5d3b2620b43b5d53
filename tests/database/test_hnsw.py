"""Approximate search on PostgreSQL: asked for, built by an operator, filtered, scored exactly, and never in the way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import numpy as np
import pytest
from click.testing import CliRunner

from hybridkb import AsyncHybridLibrary, HybridLibrary, SearchQuery
from hybridkb.cli.root import cli
from hybridkb.database import Connection
from hybridkb.errors import DatabaseBusy, InvalidInput, InvalidQuery
from hybridkb.knowledge import Note, SourceRef
from hybridkb.library import parts_of
from hybridkb.upkeep.vector_index import LOCK
from hybridkb.vector import hnsw
from hybridkb.vector.hnsw import texts_to_ask
from hybridkb.vector.spaces import serving_space
from support.fake_embedder import HashEmbedder
from support.postgres import Namespaces

NAMES = UUID(int=7)
START = datetime(2024, 1, 1, tzinfo=UTC)
ITEMS = 1500
WORDS = [f"w{number}" for number in range(400)]


def notes() -> Iterator[Note]:
    """Notes of twelve words each; one in 125 is tagged narrow, half are tagged even, the last ten are a year later."""
    chance = np.random.default_rng(5)
    for number in range(ITEMS):
        late = number >= ITEMS - 10
        when = START + timedelta(minutes=number, days=365 if late else 0)
        tags = ["even" if number % 2 == 0 else "odd", *(["narrow"] if number % 125 == 0 else [])]
        yield Note(
            id=uuid5(NAMES, str(number)), title=f"note {number}", body=" ".join(chance.choice(WORDS, 12)),
            as_of=when, available_at=when, tags=tuple(tags), source=SourceRef(kind="manual", uri=f"desk://{number}"),
        )  # fmt: skip


@pytest.fixture(scope="module")
def address(all_namespaces: Namespaces) -> Iterator[str]:
    with all_namespaces.borrowed():
        place = all_namespaces.fresh()
        with HybridLibrary.open(place, embedder=HashEmbedder(48)) as library:
            library.put_many(notes())
            seen: list[tuple[int, int | None]] = []
            built = library.build_vector_index(progress=lambda done, total: seen.append((done, total)))
            assert built.built
        yield place


@pytest.fixture(autouse=True)
def index_at_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "COMPARED_UP_TO", 0)


@pytest.fixture
def library(address: str) -> Iterator[HybridLibrary]:
    with HybridLibrary.open(address, embedder=HashEmbedder(48)) as opened:
        yield opened


@pytest.fixture
def bare(postgres: Callable[[], str]) -> Iterator[HybridLibrary]:
    """A library with vectors and without an index."""
    with HybridLibrary.open(postgres(), embedder=HashEmbedder(48)) as opened:
        opened.put_many(note for _, note in zip(range(20), notes(), strict=False))
        yield opened


def locators(results: Any) -> list[str]:
    return [str(hit.locator) for hit in results]


# --- what is found ----------------------------------------------------------------------------------------------


def test_it_finds_nearly_what_is_nearest(library: HybridLibrary) -> None:
    shares = []
    for query in [" ".join(WORDS[start : start + 5]) for start in range(0, 100, 5)]:
        true = library.search(query, mode="semantic", exact=True)
        found = library.search(query, mode="semantic", approximate=True)
        assert found.approximate
        assert not true.approximate
        shares.append(len({*locators(true)} & {*locators(found)}) / len(true))
    assert np.mean(shares) > 0.95


def test_scores_are_exact_and_fall(library: HybridLibrary) -> None:
    true = {hit.locator: hit.score for hit in library.search("w1 w2 w3", mode="semantic", exact=True, top_k=ITEMS)}
    found = library.search("w1 w2 w3", mode="semantic", approximate=True, top_k=100)
    assert len(found) == 100
    assert all(hit.score == true[hit.locator] for hit in found)
    ranked = [(-hit.score, str(hit.locator).encode()) for hit in found]
    assert ranked == sorted(ranked)


def test_the_same_question_has_the_same_answer(library: HybridLibrary, address: str) -> None:
    first = library.search("w10 w20", approximate=True, top_k=50)
    with HybridLibrary.open(address, embedder=HashEmbedder(48), read_only=True) as other:
        assert other.search("w10 w20", approximate=True, top_k=50).hits == first.hits


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_a_filter_that_leaves_twelve_returns_twelve(library: HybridLibrary, mode: Any) -> None:
    found = library.search("w1 w2 w3", mode=mode, tags=["narrow"], top_k=50, approximate=True)
    assert len(found) == 12
    assert locators(found) == locators(library.search("w1 w2 w3", mode=mode, tags=["narrow"], top_k=50, exact=True))
    assert not found.approximate


def test_a_wide_filter_is_answered_by_the_index(library: HybridLibrary) -> None:
    found = library.search("w1 w2 w3", mode="semantic", tags=["even"], top_k=200, approximate=True)
    assert found.approximate
    assert len(found) == 200
    even = {f"item:{note.id}" for note in notes() if "even" in note.tags}
    assert {*locators(found)} <= even


def test_a_scan_that_ends_early_is_finished_exactly(library: HybridLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "VISITED", 0.1)
    monkeypatch.setattr(hnsw, "LEAST_EFFORT", 1)
    monkeypatch.setattr(hnsw, "MOST_EFFORT", 1)
    found = library.search("w1 w2 w3", mode="semantic", approximate=True, top_k=200)
    assert locators(found) == locators(library.search("w1 w2 w3", mode="semantic", exact=True, top_k=200))


def test_new_vectors_enter_the_index(postgres: Callable[[], str]) -> None:
    with HybridLibrary.open(postgres(), embedder=HashEmbedder(48)) as library:
        everything = list(notes())
        library.put_many(everything[:600])
        library.build_vector_index()
        library.put_many(everything[600:700])
        last = everything[699]
        found = library.search(last.body, mode="semantic", approximate=True)
        assert found.approximate
        assert found[0].item_id == last.id
        found_again = library.vector_index()
        assert found_again is not None
        assert found_again.vectors == 700
        assert library.check().ok


def test_what_is_asked_of_the_index_depends_on_the_share_that_may_be_hits() -> None:
    assert texts_to_ask(200, 1_000_000, 1_000_000) == 400
    assert texts_to_ask(200, 200_000, 1_000_000) == 1600
    assert texts_to_ask(200, 100_000, 1_000_000) is None  # too many would have to be passed over
    assert texts_to_ask(200, 300, 300) is None  # as many as there are
    assert texts_to_ask(200, 0, 0) is None


def test_few_candidates_are_compared_without_the_index(library: HybridLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.search("w1 w2 w3", mode="semantic", approximate=True).approximate
    monkeypatch.setattr(hnsw, "COMPARED_UP_TO", ITEMS)
    assert not library.search("w1 w2 w3", mode="semantic", approximate=True).approximate


# --- what is refused --------------------------------------------------------------------------------------------


def test_a_cutoff_is_refused(library: HybridLibrary) -> None:
    with pytest.raises(InvalidQuery, match="refused with a cutoff"):
        library.search("w1", approximate=True, available_at_before=START)


def test_a_snapshot_refuses_it(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=START + timedelta(days=1))
    with pytest.raises(InvalidQuery, match="refused with a cutoff"):
        snapshot.search(SearchQuery("w1", approximate=True))


@pytest.mark.parametrize(("arguments", "told"), [({"exact": True}, "not both"), ({"mode": "lexical"}, "vectors")])
def test_contradictions_are_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidQuery, match=told):
        SearchQuery("w1", approximate=True, **arguments)


def test_without_an_index_the_remedy_is_told(bare: HybridLibrary) -> None:
    with pytest.raises(InvalidQuery, match="hybridkb index --hnsw"):
        bare.search("w1", approximate=True)
    assert bare.vector_index() is None


def test_a_file_refuses_it(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "desk.db", embedder=HashEmbedder(48)) as library:
        with pytest.raises(InvalidQuery, match="PostgreSQL"):
            library.search("w1", approximate=True)
        with pytest.raises(InvalidInput, match="PostgreSQL"):
            library.build_vector_index()
        with pytest.raises(InvalidInput, match="PostgreSQL"):
            library.drop_vector_index()
        assert library.vector_index() is None


# --- exact searches never meet it -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vector/nearest", "vector/nearest_allowed", "hnsw/nearest"])
def test_no_exact_statement_is_planned_over_the_index(library: HybridLibrary, name: str) -> None:
    database = parts_of(library).database
    with database.read() as connection:
        connection.rows("hnsw/settings", {"ef_search": 200, "most": 1000})  # every way but the index is forbidden
        plan = explained(connection, name)
    assert ("embedding_hnsw_1" in plan) is (name == "hnsw/nearest")


def explained(connection: Connection, name: str) -> str:
    sql = connection.statement(name).replace("{space_no}", "1").replace("{dimensions}", "48")
    query = connection.vector_parameter(np.ones(48, np.float16).tobytes())
    rows = connection.text_rows(f"EXPLAIN {sql.partition('SELECT')[1]}{sql.partition('SELECT')[2]}",
                                {"query": query, "k": 100, "ids": "[1,2,3]"})  # fmt: skip
    return "\n".join(row[0] for row in rows)


def test_settings_of_the_index_end_with_it(library: HybridLibrary) -> None:
    with parts_of(library).database.read() as connection:
        space = serving_space(connection)
        assert space is not None
        hnsw.nearest_through_hnsw(connection, space, np.ones(48, np.float16), 10)  # makes the server load pgvector
        before = settings(connection)
        hnsw.nearest_through_hnsw(connection, space, np.ones(48, np.float16), 10)
        assert settings(connection) == before
    assert dict(before)["enable_seqscan"] == "on"


def settings(connection: Connection) -> list[Any]:
    names = "('enable_seqscan', 'enable_sort', 'plan_cache_mode', 'hnsw.iterative_scan', 'hnsw.ef_search')"
    return connection.text_rows(f"SELECT name, setting FROM pg_settings WHERE name IN {names} ORDER BY 1")


def test_answers_without_it_are_what_they_were(library: HybridLibrary) -> None:
    with_index = library.search("w1 w2 w3", top_k=50)
    assert library.drop_vector_index()
    without = library.search("w1 w2 w3", top_k=50)
    library.build_vector_index()
    assert with_index == without


# --- building ---------------------------------------------------------------------------------------------------


def test_an_index_that_is_there_stays(library: HybridLibrary) -> None:
    again = library.build_vector_index()
    assert not again.built
    assert (again.m, again.ef_construction, again.vectors, again.serving) == (16, 64, ITEMS, True)
    with pytest.raises(InvalidInput, match="drop it first"):
        library.build_vector_index(m=8)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"m": 1}, "m"), ({"m": 40, "ef_construction": 64}, "ef_construction"), ({"memory": 10}, "memory")],
)
def test_parameters_are_checked(bare: HybridLibrary, arguments: dict[str, int], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        bare.build_vector_index(**arguments)
    assert caught.value.field == field


def test_a_library_without_vectors_has_nothing_to_index(postgres: Callable[[], str]) -> None:
    with (
        HybridLibrary.open(postgres(), embedder=None) as library,
        pytest.raises(InvalidInput, match="no vectors"),
    ):
        library.build_vector_index()


def test_one_builds_at_a_time(bare: HybridLibrary) -> None:
    with parts_of(bare).database.job_lock(LOCK, wait_seconds=0), pytest.raises(DatabaseBusy):
        bare.build_vector_index()


def test_what_a_killed_build_left_is_no_index_and_is_built_anew(bare: HybridLibrary) -> None:
    bare.build_vector_index()
    with parts_of(bare).database.write() as connection:
        connection.text_rows(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = CAST('embedding_hnsw_1' AS regclass)"
        )
    assert bare.vector_index() is None
    with pytest.raises(InvalidQuery):
        bare.search("w1", approximate=True)
    assert bare.build_vector_index().built


def test_a_build_waits_for_an_open_write_and_both_end(bare: HybridLibrary) -> None:
    built: list[Any] = []
    database = parts_of(bare).database
    with database.write() as connection:
        connection.rows("state/next_generation")
        builder = threading.Thread(target=lambda: built.append(bare.build_vector_index()))
        builder.start()
        builder.join(0.3)
        assert not built
    builder.join(30)
    assert built[0].built


def test_too_little_memory_is_told(bare: HybridLibrary) -> None:
    assert bare.build_vector_index(memory=64 << 20).advice is None
    bare.drop_vector_index()
    bare.put_many(notes())
    told = bare.build_vector_index(memory=1 << 20).advice
    assert told is not None
    assert "maintenance_work_mem" in told


def test_async_has_the_same(address: str) -> None:
    async def ask() -> None:
        async with await AsyncHybridLibrary.open(address, embedder=HashEmbedder(48)) as library:
            assert await library.vector_index() is not None
            assert not (await library.build_vector_index()).built
            assert (await library.search("w1 w2", mode="semantic", approximate=True)).approximate

    asyncio.run(ask())


def test_the_command_builds_shows_and_drops(bare: HybridLibrary) -> None:
    address = bare.path

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(cli, ["--database", address, *arguments])
        assert result.exit_code == 0, result.output
        return result.output

    assert "no index" in run("index")
    assert "vectors          20" in run("index", "--hnsw", "--m", "8", "--memory", "64M")
    assert "ef_construction  64" in run("index")
    assert '"dropped": true' in run("--json", "index", "--drop")
    assert "there was no index" in run("index", "--drop")
