"""Tables of chunks of another program, adopted with odd data in them: nothing is lost, nothing embedded twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from hybridkb.errors import DatabaseError, InvalidInput
from hybridkb.knowledge import Provenance
from hybridkb.knowledge.card import MemoryCard, card_id, chunk_locator
from hybridkb.memory import KnowledgeCard, abandon_table, adopt_table, coverage_report, ingest_sources
from oracles.items import day
from support.fake_embedder import HashEmbedder
from support.own_server import OwnServer

ODD = 'we"ird. :name ?%s'


@dataclass
class Old:
    """The old program's table, and how that program reads it."""

    server: OwnServer
    name: str
    quoted: str

    def sql(self, text: str, *values: object) -> list[tuple[object, ...]]:
        with psycopg.connect(self.server.address(), autocommit=True) as raw:
            name = self.quoted.replace("%", "%%") if values else self.quoted
            cursor = raw.execute(text.replace("{t}", name).encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def add(self, slug: str | None, number: int | None, text: str | None, vector: object = None) -> None:
        written = None if vector is None else str([float(one) for one in vector])  # type: ignore[union-attr]
        insert = "INSERT INTO {t}(slug, chunk_idx, text, embedding) VALUES (%s, %s, %s, %s)"
        self.sql(insert, slug, number, text, written)

    def rows(self) -> list[tuple[object, ...]]:
        return self.sql("SELECT slug, chunk_idx, text, embedding::text FROM {t} ORDER BY 1, 2, 3, 4")

    def provenance(self, slug: str) -> set[tuple[object, ...]]:
        return set(self.sql("SELECT source, kind, doc_date::text, verdict, link FROM {t} WHERE slug = %s", slug))


QUOTED = '"' + ODD.replace('"', '""') + '"'


@pytest.fixture(params=["old.blog_chunks", f"{QUOTED}.{QUOTED}"])
def old(server: OwnServer, request: pytest.FixtureRequest) -> Iterator[Old]:
    space = "old" if request.param.startswith("old") else QUOTED
    server.sql("CREATE EXTENSION IF NOT EXISTS vector", f"CREATE SCHEMA {space}",
               f"CREATE TABLE {request.param}(id SERIAL PRIMARY KEY, slug TEXT, chunk_idx INT, text TEXT, "
               "embedding vector, note TEXT DEFAULT 'mine')")  # fmt: skip
    yield Old(server, request.param, request.param)
    server.sql(f"DROP SCHEMA {space} CASCADE")


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder(8, "desk-model")


@pytest.fixture
def library(address: str, embedder: HashEmbedder) -> Iterator[HybridLibrary]:
    with HybridLibrary.open(address, embedder=embedder) as library:
        yield library
        report = library.check()
        assert report.ok, report.findings


def chunks(library: HybridLibrary, slug: str) -> tuple[str, ...]:
    card = library.get(card_id(slug))
    assert isinstance(card, MemoryCard)
    return card.chunks


def filled(old: Old, embedder: HashEmbedder) -> None:
    for slug, texts in {"rates/basis": ["copper gap", "zinc supply", "tin demand"], "carry": ["yen carry"]}.items():
        vectors = embedder.embed_documents(texts) * 3  # stored as the model gave them, not of unit length
        for number, text in enumerate(texts):
            old.add(slug, number, text, vectors[number])
    embedder.document_calls = 0


def test_rows_become_cards_and_their_vectors_are_kept(
    old: Old, library: HybridLibrary, embedder: HashEmbedder
) -> None:
    filled(old, embedder)
    before = old.rows()
    moves: list[tuple[int, int | None]] = []
    report = adopt_table(library, old.name, model="desk-model", progress=lambda *done: moves.append(done))
    assert (report.added, report.chunks, report.vectors, report.pending) == (("carry", "rates/basis"), 4, 4, 0)
    assert report.columns_added == ("source", "kind", "doc_date", "verdict", "link")
    assert report.without_provenance == 2
    assert moves[-1] == (4, 4)
    assert old.rows() == before
    assert old.sql("SELECT DISTINCT note FROM {t}") == [("mine",)]
    assert embedder.document_calls == 0
    hits = library.search("zinc supply", mode="semantic")
    assert hits[0].locator == chunk_locator("rates/basis", 1)
    assert hits[0].explanation.semantic is not None
    assert hits[0].explanation.semantic.score == pytest.approx(1.0, abs=1e-3)
    assert (hits.pending, hits.degraded) == (0, None)
    assert library.search("tin", mode="lexical")[0].locator == chunk_locator("rates/basis", 2)
    assert chunks(library, "rates/basis") == ("copper gap", "zinc supply", "tin demand")
    assert library.embed_pending().embedded == 0


def test_adopting_again_does_nothing_twice_and_follows_changed_rows(
    old: Old, library: HybridLibrary, embedder: HashEmbedder
) -> None:
    filled(old, embedder)
    adopt_table(library, old.name, model="desk-model")
    again = adopt_table(library, old.name, model="desk-model")
    assert (again.unchanged, again.chunks, again.vectors, again.columns_added) == (("carry", "rates/basis"), 0, 0, ())
    old.add("carry", 1, "swiss carry", embedder.embed_documents(["swiss carry"])[0])
    third = adopt_table(library, old.name, model="desk-model")
    assert (third.changed, third.unchanged, third.vectors, third.pending) == (("carry",), ("rates/basis",), 1, 0)
    assert library.search("swiss", mode="lexical")[0].locator == chunk_locator("carry", 1)


def test_next_ingest_fills_the_provenance_in_and_takes_the_card_over(
    old: Old, library: HybridLibrary, embedder: HashEmbedder
) -> None:
    filled(old, embedder)
    adopt_table(library, old.name, model="desk-model")
    before = old.rows()
    assert old.provenance("carry") == {(None,) * 5}
    provenance = Provenance("article", "essay", "2024-03-01", "keep", "https://desk.example/carry")
    cards = [KnowledgeCard("carry", "yen carry unwinds", provenance, available_at=day(1)),
             KnowledgeCard("new", "not in the old table", provenance)]  # fmt: skip
    report = ingest_sources(library, cards)
    assert report.backfilled == 1
    assert report.notes == ()
    assert old.provenance("carry") == {provenance.as_row()}
    assert old.provenance("rates/basis") == {(None,) * 5}
    assert old.rows() == before, "the old program's own columns stay"
    assert ingest_sources(library, cards).backfilled == 0
    old.sql("UPDATE {t} SET verdict = NULL WHERE slug = 'carry'")
    assert ingest_sources(library, cards).backfilled == 1, "also of cards that stand there already"
    again = adopt_table(library, old.name, model="desk-model")
    assert (again.kept, again.unchanged) == (("carry",), ("rates/basis",))
    assert library.search("unwinds", mode="lexical")


def test_odd_rows_are_told_and_nothing_of_the_rest_is_lost(
    old: Old, library: HybridLibrary, embedder: HashEmbedder
) -> None:
    vector = embedder.embed_documents(["copper"])[0]
    old.add("gaps", 2, "two", vector)
    old.add("gaps", 5, "five", vector[:4])  # of another model
    old.add("gaps", 7, "seven", np.zeros(8))
    old.add("gaps", 8, "eight")
    old.add("twice", 0, "the same", vector)
    old.add("twice", 0, "the same", vector)
    old.add("twice", 1, "one thing")
    old.add("twice", 1, "something else")
    old.add("nothing", 0, None, vector)
    old.add("nothing", 1, " \n ")
    old.add(None, 0, "no slug")
    old.add("negative", -1, "minus one")
    old.add("negative", 10**9, "far away")
    old.add("numberless", None, "no number")
    old.add("../escape", 0, "a slug that is none")
    old.add("cafe\u0301", 0, "two forms")
    old.add("caf\u00e9", 0, "of one slug")
    before = old.rows()
    report = adopt_table(library, old.name, model="desk-model")
    assert set(report.added) == {"gaps", "twice", "caf\u00e9"}
    assert chunks(library, "gaps") == ("", "", "two", "", "", "five", "", "seven", "eight")
    assert library.search("five", mode="lexical")[0].locator == chunk_locator("gaps", 5)
    assert chunks(library, "twice") == ("the same", "one thing")
    told = {one.place: one.reason for one in report.skipped}
    assert "another row of this slug and chunk_idx" in told["twice 1"]
    assert "holds no text" in told["nothing 0"]
    assert "holds no text" in told["nothing 1"]
    assert told["nothing"] == "no row of it holds text"
    assert "have no slug" in told["slug NULL"]
    assert "whole number from 0" in told["negative -1"]
    assert "whole number from 0" in told["negative 1000000000"]
    assert "whole number from 0" in told["numberless None"]
    assert ".." in told["../escape"]
    assert any("two Unicode forms" in reason for reason in told.values())
    assert any("2 vectors cannot be of desk-model" in note for note in report.notes)
    assert report.pending == 5  # five, seven, eight, one thing, two forms
    assert old.rows() == before
    assert library.embed_pending().pending == 0
    assert adopt_table(library, old.name, model="desk-model").added == ()


def test_provenance_that_the_table_has_is_read_and_its_types_are_kept(
    old: Old, library: HybridLibrary, embedder: HashEmbedder
) -> None:
    old.sql("ALTER TABLE {t} ADD COLUMN source VARCHAR(20), ADD COLUMN doc_date DATE")
    filled(old, embedder)
    old.sql("UPDATE {t} SET source = 'scout', doc_date = '2024-02-03' WHERE slug = 'carry'")
    old.sql("UPDATE {t} SET source = 'hearsay' WHERE slug = 'rates/basis'")
    report = adopt_table(library, old.name, source="article")
    assert report.columns_added == ("kind", "verdict", "link")
    assert library.get(card_id("carry")).provenance == Provenance("scout", None, "2024-02-03")
    assert library.get(card_id("rates/basis")).provenance == Provenance("article")
    assert any("hearsay" in note for note in report.notes)
    assert [str(hit.locator) for hit in library.search("yen", mode="lexical", sources="scout")]
    card = KnowledgeCard("carry", "yen carry", Provenance("article", doc_date="2024-05-06"))
    assert ingest_sources(library, [card]).backfilled == 1
    assert old.provenance("carry") == {("article", None, "2024-05-06", None, None)}


def test_without_a_model_named_the_vectors_are_left_and_the_texts_pending(
    old: Old, library: HybridLibrary, embedder: HashEmbedder
) -> None:
    filled(old, embedder)
    report = adopt_table(library, old.name)
    assert (report.vectors, report.pending) == (0, 4)
    assert any("no model was named" in note for note in report.notes)
    assert library.embed_pending().embedded == 4


def test_a_model_that_is_not_at_hand_keeps_its_vectors_in_a_space_of_its_name(
    old: Old, address: str, embedder: HashEmbedder
) -> None:
    filled(old, embedder)
    with HybridLibrary.open(address, embedder=None) as library:
        report = adopt_table(library, old.name, model="desk-model")
        assert (report.vectors, report.pending) == (4, 0)
        assert any("open the library with that model" in note for note in report.notes)
        space = library.stats().spaces[0]
        assert (space.model, space.dimensions, space.version, space.vectors) == ("desk-model", 8, "1", 4)
    with HybridLibrary.open(address, embedder=embedder) as library:
        assert library.search("yen carry", mode="semantic")[0].locator == chunk_locator("carry", 0)
        assert embedder.document_calls == 0


def test_coverage_counts_adopted_cards(old: Old, library: HybridLibrary, embedder: HashEmbedder) -> None:
    filled(old, embedder)
    adopt_table(library, old.name, model="desk-model")
    report = coverage_report(["carry", "missing"], library)
    assert report.missing == ("missing",)
    assert report.orphans == ("rates/basis",)
    assert report.chunk_counts["rates/basis"] == 3
    assert set(report.without_provenance) == {"carry", "rates/basis"}


def test_table_that_went_away_or_is_closed_is_noted_and_the_ingest_goes_on(
    old: Old, library: HybridLibrary, embedder: HashEmbedder
) -> None:
    filled(old, embedder)
    adopt_table(library, old.name)
    old.sql("ALTER TABLE {t} DROP COLUMN verdict")
    card = KnowledgeCard("carry", "yen carry unwinds", Provenance("article"))
    report = ingest_sources(library, [card])
    assert report.slugs == ("carry",)
    assert "lacks the columns verdict; adopt it again" in report.notes[0]
    old.sql("DROP TABLE {t}")
    assert "is not there" in ingest_sources(library, [card]).notes[0]
    assert abandon_table(library, old.name)
    assert not abandon_table(library, old.name)
    assert ingest_sources(library, [card]).notes == ()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("old.nowhere", "is not there"),
        ("nowhere", "'public.nowhere' is not there"),
        ("pg_catalog.pg_class", "has no column slug, chunk_idx, text"),
        ("old.seen", "is no table but a view"),
        ("old.words", "chunk_idx of 'old.words' holds text"),
        ("a.b.c", "names no table"),
        ("", "names no table"),
        ("old.", "names no table"),
        ('"open', "is not there|names no table"),
        ("old.blog_chunks; DROP TABLE old.blog_chunks", "names no table"),
        ("blog_chunks; DROP SCHEMA old", "is not there"),
    ],
)
def test_what_is_no_table_of_chunks_is_refused(
    server: OwnServer, library: HybridLibrary, table: str, says: str
) -> None:
    server.sql("CREATE EXTENSION IF NOT EXISTS vector", "CREATE SCHEMA old",
               "CREATE TABLE old.blog_chunks(slug TEXT, chunk_idx INT, text TEXT)",
               "CREATE VIEW old.seen AS SELECT * FROM old.blog_chunks",
               "CREATE TABLE old.words(slug TEXT, chunk_idx TEXT, text TEXT)")  # fmt: skip
    try:
        with pytest.raises(InvalidInput, match=says):
            adopt_table(library, table)
        assert server.sql("SELECT count(*) FROM old.blog_chunks") == [(0,)]
    finally:
        server.sql("DROP SCHEMA old CASCADE")


def test_a_role_that_does_not_own_the_table_is_told_and_one_that_may_only_fill_it_does(
    server: OwnServer, address: str, embedder: HashEmbedder
) -> None:
    from hybridkb.upkeep import grant

    HybridLibrary.open(address, embedder=embedder).close()
    server.sql("CREATE SCHEMA old", "CREATE ROLE filler LOGIN", "GRANT USAGE ON SCHEMA old TO filler",
               "CREATE TABLE old.blog_chunks(slug TEXT, chunk_idx INT, text TEXT)",
               "INSERT INTO old.blog_chunks VALUES ('carry', 0, 'yen carry')",
               "GRANT SELECT, UPDATE ON old.blog_chunks TO filler")  # fmt: skip
    grant(address, writers=["filler"])
    try:
        with HybridLibrary.open(address.replace("postgres@", "filler@"), embedder=embedder) as library:
            with pytest.raises(DatabaseError, match="does not own it; adopt it once as the role that does"):
                adopt_table(library, "old.blog_chunks")
            with HybridLibrary.open(address, embedder=embedder) as owner:
                adopt_table(owner, "old.blog_chunks")
            assert ingest_sources(library, [KnowledgeCard("carry", "yen", Provenance("scout"))]).backfilled == 1
            server.sql("REVOKE UPDATE ON old.blog_chunks FROM filler")
            report = ingest_sources(library, [KnowledgeCard("carry", "yen", Provenance("article"))])
            assert "this role may not do that" in report.notes[0]
            assert library.get(card_id("carry")).provenance == Provenance("article")
    finally:
        server.sql("DROP SCHEMA old CASCADE", f"DROP SCHEMA {address.partition('schema=')[2]} CASCADE",
                   "DROP OWNED BY filler", "DROP ROLE filler")  # fmt: skip


def test_a_library_in_a_file_adopts_nothing(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "desk.db", embedder=None) as library:
        with pytest.raises(InvalidInput, match="is a file, and tables are adopted where they are"):
            adopt_table(library)
        assert ingest_sources(library, [KnowledgeCard("carry", "yen", Provenance("article"))]).backfilled == 0


def test_the_command_adopts_and_forgets(
    old: Old, address: str, embedder: HashEmbedder, invoke: Callable[..., str]
) -> None:
    filled(old, embedder)
    old.add(None, 0, "no slug")
    told = invoke(1, "adopt", address, "--table", old.name, "--model", "desk-model", "--source", "article")
    assert "2 added; new columns: source, kind, doc_date, verdict, link" in told
    assert "4 chunks written, 4 vectors kept, 0 pending" in told
    assert "skipped: slug NULL: 1 rows have no slug; give them one" in told
    assert "its provenance is filled in no longer" in invoke(0, "adopt", address, "--table", old.name, "--forget")
    assert "was not adopted" in invoke(0, "adopt", address, "--table", old.name, "--forget")


@pytest.fixture
def invoke() -> Callable[..., str]:
    def invoke_one(code: int, *arguments: str) -> str:
        result = CliRunner().invoke(cli, ["--embedder", "none", "-q", *arguments])
        assert result.exit_code == code, result.output
        return result.output

    return invoke_one
