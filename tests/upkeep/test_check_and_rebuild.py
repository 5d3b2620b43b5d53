"""A broken row of each kind is named by check() and, where it is derived, mended by rebuild()."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from zlib import compress

import numpy as np
import pytest

from hybridkb import HybridLibrary
from hybridkb.database.statements import statement_names
from hybridkb.errors import BrokenInvariant, HybridKBError, UnregisteredType
from hybridkb.lexical.layout import encode_posting
from hybridkb.upkeep.check_canonical import CANONICAL_CHECKS
from oracles.items import day, earnings, filing, item_id, note
from papers_shelf.breaks import HEARD as PAPERS_HEARD
from support.fake_embedder import HashEmbedder
from support.postgres import namespaces_here
from support.raw_rows import CANONICAL, address_of, ask, copy_library, dump, run
from support.term_counts import encoded

DIMENSIONS = 16
SEARCHES = ("copper", "annual", "steel beams", "AAPL")


def embedder() -> HashEmbedder:
    return HashEmbedder(DIMENSIONS)


@pytest.fixture(scope="module")
def whole(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with packed records and a tail, revisions, a withdrawal, a tombstone, tags and a tree."""
    path = tmp_path_factory.mktemp("whole") / "library.db"
    with HybridLibrary.open(path, embedder=embedder()) as library:
        library.put_many([
            note(1, "copper supply gap", title="Copper", tags=("metals", "supply")),
            note(1, "copper supply glut", title="Copper", available_at=day(9), tags=("metals",)),
            note(2, "wheat harvest", available_at=None),
            note(3, "to be withdrawn"),
            note(4, "to be purged"),
            filing("f", ["risk factors", "steel beams"], title="Annual report", root="overview"),
        ])  # fmt: skip
        library.delete(item_id(3), at=day(5))
        library.purge(item_id(4), reason="test")
        library.optimize()
        library.put_many([earnings("e", "AAPL", "2024Q1"), note(5, "copper in the tail", title="Late")])
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    target = tmp_path / "library.db"
    copy_library(whole, target)
    return target


def codes(path: Path, *, quick: bool = False) -> set[str]:
    with HybridLibrary.open(path, embedder=None) as library:
        return {finding.code for finding in library.check(quick=quick).findings}


def answers(path: Path) -> list[Any]:
    """What searches show, by words and by meaning."""
    with HybridLibrary.open(path, embedder=embedder()) as library:
        return [
            [(str(hit.locator), hit.score, hit.matched_text, hit.source) for hit in found]
            for text in SEARCHES
            for mode in ("lexical", "hybrid")
            for found in (library.search(text, mode=mode), library.search(text, mode=mode, available_at_before=day(6)))
        ]


def rebuilt(path: Path) -> HashEmbedder:
    """Rebuild with an embedder that must not be asked."""
    never = embedder()
    with HybridLibrary.open(path, embedder=never) as library:
        library.rebuild()
    assert never.document_calls == 0
    return never


class Break(NamedTuple):
    """What is done to the rows, and what check() then says."""

    statements: tuple[str, ...]
    codes: set[str]

    def hurt(self, path: Path) -> None:
        known = BY_POSTGRES if on_server() else {}
        run(path, *(known.get(statement, statement) for statement in self.statements))

    @property
    def heard(self) -> set[str]:
        """What check() says on the engine of the moment: a server keeps no second table of vectors."""
        return self.codes - OF_SQLITE_VEC if on_server() else self.codes


PACKED = "SELECT min(record_id) FROM record"
WAITING = "SELECT max(record_id) FROM record"
GONE = "SELECT 1 + max(record_id) FROM record"  # an id that no record has
NEWEST = "SELECT max(revision_no) FROM revision"

TERMS = encoded({1: 1}, {}).hex()
POSTING = encode_posting(np.array([0], np.uint16), np.array([9], np.uint32)).hex()
RECORD = (
    "revision_no, locator, member_id, item_type, artifact_kind, source_kind, confidence, source_class, kind, "
    "doc_date, verdict, link, path, tree_id, as_of, available_at, visible_from, visible_until, title_key, text_hash, "
    "digest, title_words, body_words, citations, projection_version"
)

DERIVED: dict[str, Break] = {
    # records
    "record missing": Break(
        (f"DELETE FROM record WHERE record_id = ({WAITING})",),
        {"record_missing", "revision_without_record", "text_without_record", "words_without_record",
         "terms_without_record", "vector_without_record", "words_altered"},
    ),
    "node's record missing": Break(
        ("DELETE FROM record WHERE member_id = 's0'",),
        {"record_missing", "text_without_record", "words_without_record", "vector_without_record", "words_altered",
         "columns_altered", "codes_altered"},
    ),
    "record altered": Break(
        (f"UPDATE record SET confidence = 'high' WHERE record_id = ({WAITING})",), {"record_altered"}
    ),
    "record's interval": Break(
        (f"UPDATE record SET visible_until = 7 WHERE record_id = ({WAITING})",), {"record_altered"}
    ),
    "packed record's interval": Break(
        (f"UPDATE record SET visible_from = 7 WHERE record_id = ({PACKED})",), {"record_altered", "columns_altered"}
    ),
    "record of another revision": Break(
        (f"UPDATE record SET revision_no = 999 WHERE record_id = ({WAITING})",),
        {"record_without_revision", "revision_without_record", "record_missing", "words_altered"},
    ),
    "record twice": Break(
        (f"INSERT INTO record({RECORD}) SELECT {RECORD} FROM record WHERE record_id = ({WAITING})",
         f"INSERT INTO record_text SELECT ({WAITING}), title, body FROM record_text"
         " WHERE record_id = (SELECT max(record_id) FROM record_text)"),
        {"record_twice", "record_without_words", "record_without_postings", "record_without_vector_row",
         "words_altered", "postings_altered"},
    ),
    "record that nothing projects": Break(
        (f"UPDATE record SET locator = locator || '#x' WHERE record_id = ({WAITING})",),
        {"record_extra", "record_missing"},
    ),
    # texts
    "text missing": Break(
        (f"DELETE FROM record_text WHERE record_id = ({WAITING})",),
        {"record_without_text", "text_altered", "words_altered"},
    ),
    "text altered": Break(
        (f"UPDATE record_text SET body = body || ' gold' WHERE record_id = ({WAITING})",),
        {"text_altered", "words_altered", "postings_altered"},
    ),
    "text of no record": Break(
        (f"INSERT INTO record_text VALUES (({GONE}), 'a', 'b')",), {"text_without_record"}
    ),
    # facets
    "facet missing": Break(("DELETE FROM record_facet WHERE value = 'supply'",), {"facets_altered"}),
    "facet altered": Break(
        ("UPDATE record_facet SET value = 'ores' WHERE value = 'supply'",), {"facets_altered"}
    ),
    "facet of no record": Break(
        (f"INSERT INTO record_facet VALUES ('tag', 'metals', ({GONE}))",), {"facet_without_record"}
    ),
    # FTS5
    "words missing": Break(
        (f"DELETE FROM record_words WHERE rowid = ({WAITING})",), {"record_without_words", "words_altered"}
    ),
    "words altered": Break(
        (f"DELETE FROM record_words WHERE rowid = ({WAITING})",
         f"INSERT INTO record_words(rowid, title, body) VALUES (({WAITING}), 'late', 'copper in a tail')"),
        {"words_altered"},
    ),
    "words of no record": Break(
        (f"INSERT INTO record_words(rowid, title, body) VALUES (({GONE}), 'late', '')",),
        {"words_without_record", "words_altered"},
    ),
    # vocabulary
    "word missing": Break(
        ("DELETE FROM term WHERE word = 'wheat'",), {"posting_without_term", "postings_altered"}
    ),
    "word altered": Break(
        ("UPDATE term SET word = 'rye', stem = 'rye' WHERE word = 'wheat'",), {"postings_altered"}
    ),
    "stem altered": Break(("UPDATE term SET stem = 'x' WHERE word = 'harvest'",), {"stem_altered"}),
    # term counts and postings
    "term counts missing": Break(
        (f"DELETE FROM record_terms WHERE record_id = ({WAITING})",), {"record_without_postings", "postings_altered"}
    ),
    "term counts altered": Break(
        (f"UPDATE record_terms SET terms = x'{TERMS}' WHERE record_id = ({WAITING})",), {"postings_altered"}
    ),
    "term counts unreadable": Break(
        (f"UPDATE record_terms SET terms = x'010203' WHERE record_id = ({WAITING})",), {"postings_unreadable"}
    ),
    "term counts of no record": Break(
        (f"INSERT INTO record_terms VALUES (({GONE}), x'{TERMS}')",), {"terms_without_record"}
    ),
    "term counts of a packed record": Break(
        (f"INSERT INTO record_terms VALUES (({PACKED}), x'{TERMS}')",),
        {"record_packed_and_waiting", "postings_altered"},
    ),
    "body posting altered": Break(
        (f"UPDATE posting SET body = x'{POSTING}' WHERE term_id = (SELECT term_id FROM term WHERE word = 'supply')",),
        {"postings_altered"},
    ),
    "title posting altered": Break(
        ("UPDATE posting SET title = NULL WHERE term_id = (SELECT term_id FROM term WHERE word = 'copper')",),
        {"postings_altered"},
    ),
    "posting missing": Break(
        ("DELETE FROM posting WHERE term_id = (SELECT term_id FROM term WHERE word = 'harvest')",),
        {"postings_altered"},
    ),
    "posting unreadable": Break(
        ("UPDATE posting SET body = x'07' WHERE term_id = (SELECT term_id FROM term WHERE word = 'harvest')",),
        {"postings_unreadable"},
    ),
    "posting of records that never were": Break(
        ("UPDATE posting SET body = x'ffff0101' WHERE term_id = (SELECT term_id FROM term WHERE word = 'harvest')",),
        {"postings_unreadable"},
    ),
    "posting of no segment": Break(
        (f"INSERT INTO posting VALUES (99, 1, x'{POSTING}', NULL)",), {"posting_without_segment"}
    ),
    "posting of no word": Break(
        (f"INSERT INTO posting VALUES (1, 9999, x'{POSTING}', NULL)",),
        {"posting_without_term", "postings_altered"},
    ),
    # packed columns
    **{
        f"packed {column} altered": Break(
            (f"UPDATE segment SET {column} = zeroblob(length({column}))",), {"columns_altered"}
        )
        for column in ("visible_from", "visible_until", "title_words", "body_words", "digest")
    },
    **{
        f"packed {column} cut short": Break(
            (f"UPDATE segment SET {column} = substr({column}, 2)",), {"columns_altered"}
        )
        for column in ("visible_from", "visible_until", "title_words", "body_words", "digest")
    },
    "segment missing": Break(
        ("DELETE FROM segment",),
        {"posting_without_segment", "record_without_postings", "vector_segment_without_segment", "postings_altered"},
    ),
    "segments overlap": Break(
        ("INSERT INTO segment SELECT 2, first_record, last_record, visible_from, visible_until, title_words, "
         "body_words, digest FROM segment",),
        {"segments_overlap", "codes_altered"},
    ),
    # vectors
    "vector of wrong size": Break(
        ("UPDATE embedding SET vector = substr(vector, 3)"
         " WHERE embedding_id = (SELECT max(embedding_id) FROM embedding)",),
        {"embedding_of_wrong_size"},
    ),
    "table row missing": Break(
        (f"DELETE FROM record_vector_1 WHERE record_id = ({WAITING})",), {"record_without_vector_row"}
    ),
    "table row altered": Break(
        (f"DELETE FROM record_vector_1 WHERE record_id = ({WAITING})",
         f"INSERT INTO record_vector_1 VALUES (({WAITING}), vec_int8(x'{'01' * DIMENSIONS}'))"),
        {"vector_row_altered"},
    ),
    "table row of no record": Break(
        (f"INSERT INTO record_vector_1 VALUES (({GONE}), vec_int8(x'{'01' * DIMENSIONS}'))",),
        {"vector_without_record"},
    ),
    "packed codes altered": Break(
        ("UPDATE vector_segment SET codes = zeroblob(length(codes))",), {"codes_altered"}
    ),
    "packed codes cut short": Break(
        ("UPDATE vector_segment SET codes = substr(codes, 2)",), {"codes_altered"}
    ),
    "packed embedding ids altered": Break(
        ("UPDATE vector_segment SET embedding_ids = zeroblob(length(embedding_ids))",), {"codes_altered"}
    ),
    "packed embedding ids cut short": Break(
        ("UPDATE vector_segment SET embedding_ids = substr(embedding_ids, 4)",), {"codes_altered"}
    ),
    "packed vectors missing": Break(("DELETE FROM vector_segment",), {"codes_altered"}),
    "packed vectors of no segment": Break(
        ("INSERT INTO vector_segment VALUES (1, 99, x'', x'')",), {"vector_segment_without_segment"}
    ),
    "two spaces serve": Break(
        ("INSERT INTO space(fingerprint, model, dimensions, version, normalised, prefix, state)"
         " VALUES ('other', 'other', 4, '1', 1, '', 'serving')",
         "CREATE VIRTUAL TABLE record_vector_2 USING vec0(record_id INTEGER PRIMARY KEY, embedding int8[4])"),
        {"several_serving_spaces"},
    ),
}  # fmt: skip


IN_PART = "INSERT INTO record_words(record_id, title, body, whole) VALUES (({}), '{}', '{}', TRUE)"
BY_POSTGRES = {
    f"INSERT INTO record_words(rowid, title, body) VALUES (({WAITING}), 'late', 'copper in a tail')":
        IN_PART.format(WAITING, "late:1", "copper:1 in:2 a:3 tail:4"),
    f"INSERT INTO record_words(rowid, title, body) VALUES (({GONE}), 'late', '')": IN_PART.format(GONE, "late:1", ""),
    "UPDATE embedding SET vector = substr(vector, 3) WHERE embedding_id = (SELECT max(embedding_id) FROM embedding)":
        "UPDATE embedding SET vector = public.subvector(vector, 1, 15)"
        " WHERE embedding_id = (SELECT max(embedding_id) FROM embedding)",
    f"INSERT INTO record({RECORD}) SELECT {RECORD} FROM record WHERE record_id = ({WAITING})":
        f"INSERT INTO record(record_id, {RECORD}) SELECT record_id + 1, {RECORD} FROM record"
        f" WHERE record_id = ({WAITING})",
    f"INSERT INTO item(item_id, item_type) VALUES ('{item_id('new')}', 'note')":
        f"INSERT INTO item(item_no, item_id, item_type) VALUES (99, '{item_id('new')}', 'note')",
    "INSERT INTO revision(item_no, available_at, as_of, recorded_at, content_hash, payload, source)"
    " SELECT item_no, 5, as_of, recorded_at, content_hash, payload, source FROM revision WHERE available_at IS NULL":
        "INSERT INTO revision SELECT 99, item_no, 5, as_of, recorded_at, content_hash, payload, source FROM revision"
        " WHERE available_at IS NULL",
    "CREATE VIRTUAL TABLE record_vector_2 USING vec0(record_id INTEGER PRIMARY KEY, embedding int8[4])": "SELECT 1",
}  # fmt: skip
"""What PostgreSQL is told instead."""
OF_SQLITE_VEC = {
    "record_without_vector_row", "vector_row_altered", "vector_without_record", "vector_row_without_vector"
}  # fmt: skip


ONLY_SQLITE = {
    "table row missing": "about the tables of sqlite-vec",
    "table row altered": "about the tables of sqlite-vec",
    "table row of no record": "about the tables of sqlite-vec",
}


def kinds(breaks: dict[str, Break]) -> list[Any]:
    """The kinds of damage as parameters; those that a server cannot suffer are marked."""
    return [
        pytest.param(kind, marks=pytest.mark.sqlite_only(ONLY_SQLITE[kind]), id=kind) if kind in ONLY_SQLITE else kind
        for kind in breaks
    ]


def on_server() -> bool:
    return namespaces_here() is not None


def test_the_library_is_whole_before_it_is_broken(whole: Path) -> None:
    assert codes(whole) == set()


@pytest.mark.parametrize("kind", kinds(DERIVED))
def test_a_broken_derived_row_is_named_and_mended(kind: str, path: Path, whole: Path) -> None:
    wanted = answers(whole)
    DERIVED[kind].hurt(path)
    before = dump(path, CANONICAL)
    assert codes(path) == DERIVED[kind].heard
    rebuilt(path)
    assert codes(path) == set()
    assert dump(path, CANONICAL) == before
    if kind != "vector of wrong size":  # no rebuild can make that vector
        assert answers(path) == wanted


@pytest.mark.parametrize("kind", kinds(DERIVED))
def test_a_search_in_a_broken_library_fails_in_our_words_or_answers(kind: str, path: Path) -> None:
    DERIVED[kind].hurt(path)
    with HybridLibrary.open(path, embedder=embedder()) as library:
        for text in SEARCHES:
            for mode in ("lexical", "hybrid"):
                try:
                    library.search(text, mode=mode)
                except HybridKBError as error:
                    assert "rebuild()" in str(error), error  # noqa: PT017


CANONICAL_BREAKS: dict[str, Break] = {
    "item missing": Break(
        ("DELETE FROM item WHERE item_no = (SELECT max(item_no) FROM item)",),
        {"revision_without_item", "words_altered"},
    ),
    "revision missing": Break(
        ("DELETE FROM revision WHERE item_no = (SELECT max(item_no) FROM item)",),
        {"item_without_revision", "record_without_revision", "words_altered"},
    ),
    "item without revision": Break(
        (f"INSERT INTO item(item_id, item_type) VALUES ('{item_id('new')}', 'note')",), {"item_without_revision"}
    ),
    "unknown availability beside a known one": Break(
        ("INSERT INTO revision(item_no, available_at, as_of, recorded_at, content_hash, payload, source)"
         " SELECT item_no, 5, as_of, recorded_at, content_hash, payload, source FROM revision"
         " WHERE available_at IS NULL",),
        {"revision_availability_mixed", "revision_without_record", "item_altered", "record_altered", "record_missing"},
    ),
    "withdrawal of no item": Break(("INSERT INTO withdrawal VALUES (999, 5, 5)",), {"withdrawal_without_item"}),
    "payload damaged": Break(
        (f"UPDATE revision SET payload = x'0102' WHERE revision_no = ({NEWEST})",),
        {"item_unreadable"},
    ),
    "payload of no bytes": Break(
        (f"UPDATE revision SET payload = 'text' WHERE revision_no = ({NEWEST})",),
        {"item_unreadable"},
    ),
    "payload of no item": Break(
        (f"UPDATE revision SET payload = x'{compress(b'[]').hex()}' WHERE revision_no = ({NEWEST})",),
        {"item_unreadable"},
    ),
    "payload of another item": Break(
        ("UPDATE revision SET payload = (SELECT payload FROM revision ORDER BY revision_no LIMIT 1)"
         f" WHERE revision_no = ({NEWEST})",),
        {"item_altered", "record_missing", "record_extra"},
    ),
    "hash altered": Break(
        (f"UPDATE revision SET content_hash = zeroblob(32) WHERE revision_no = ({NEWEST})",),
        {"item_altered"},
    ),
    "availability altered": Break(
        ("UPDATE revision SET available_at = available_at + 1"
         f" WHERE revision_no = ({NEWEST})",),
        {"item_altered", "record_altered"},
    ),
    "as_of altered": Break(
        (f"UPDATE revision SET as_of = as_of + 1 WHERE revision_no = ({NEWEST})",),
        {"item_altered", "record_altered"},
    ),
    "source altered": Break(
        (f"""UPDATE revision SET source = '{{}}' WHERE revision_no = ({NEWEST})""",),
        {"item_altered"},
    ),
    "type altered": Break(
        ("UPDATE item SET item_type = 'news' WHERE item_no = (SELECT max(item_no) FROM item)",), {"item_altered"}
    ),
    "id altered": Break(
        (f"UPDATE item SET item_id = '{item_id('other')}' WHERE item_no = (SELECT max(item_no) FROM item)",),
        {"item_altered"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", kinds(CANONICAL_BREAKS))
def test_canonical_damage_is_named_and_never_built_upon(kind: str, path: Path) -> None:
    CANONICAL_BREAKS[kind].hurt(path)
    assert codes(path) == CANONICAL_BREAKS[kind].heard
    before = dump(path)
    with HybridLibrary.open(path, embedder=embedder()) as library:
        with pytest.raises(BrokenInvariant, match="nothing was rebuilt") as caught:
            library.rebuild()
        assert caught.value.findings
    assert dump(path) == before


@pytest.mark.parametrize("kind", ["payload damaged", "payload of no bytes", "payload of no item"])
def test_whoever_reads_an_unreadable_item_hears_which(kind: str, path: Path) -> None:
    CANONICAL_BREAKS[kind].hurt(path)
    ((damaged,),) = ask(path, f"SELECT item_id FROM item JOIN revision USING (item_no) WHERE revision_no = ({NEWEST})")
    with HybridLibrary.open(path, embedder=None) as library:
        for read in (lambda: library.get(damaged), lambda: list(library.export())):
            with pytest.raises(BrokenInvariant, match=damaged):
                read()


def test_every_statement_in_checks_has_a_row_that_it_hears() -> None:
    statements = {name.rpartition("/")[2] for name in statement_names("checks", "sqlite")}
    heard = set().union(*(case.codes for case in (*DERIVED.values(), *CANONICAL_BREAKS.values())))
    assert statements <= heard | PAPERS_HEARD
    assert set(CANONICAL_CHECKS) <= statements


def test_a_quick_check_hears_structures_alone(path: Path) -> None:
    run(path, f"DELETE FROM record_text WHERE record_id = ({WAITING})", "UPDATE term SET stem = 'x' WHERE word = 'gap'")
    assert codes(path, quick=True) == {"record_without_text"}


@pytest.mark.sqlite_only("damages a page of the file")
def test_a_damaged_page_is_named(path: Path) -> None:
    run(path, "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'record_by_type'")
    with HybridLibrary.open(path, embedder=None) as library:
        try:
            found = {finding.code for finding in library.check(quick=True).findings}
        except BrokenInvariant:
            return
        assert "sqlite_integrity" in found


# A vector that is gone


def test_a_missing_vector_is_named_and_pending_after_a_rebuild_and_embedded_again(path: Path, whole: Path) -> None:
    wanted = answers(whole)
    run(path, "DELETE FROM embedding")
    assert codes(path) == Break((), {"vector_row_without_vector", "codes_altered"}).heard
    with HybridLibrary.open(path, embedder=embedder()) as library:
        with pytest.raises(BrokenInvariant, match="rebuild"):  # packed rows name vectors that are not there
            library.search("copper", mode="hybrid")
        library.rebuild()
        found = library.search("copper", mode="hybrid")
        assert found.pending > 0
        assert "embed_pending" in str(found.degraded)
        assert len(found) == 2
        report = library.embed_pending()
        assert (report.pending, report.serving) == (0, True)
    assert codes(path) == set()
    assert answers(path) == wanted


def test_a_missing_vector_of_an_unpacked_record_is_embedded_again_without_a_rebuild(path: Path, whole: Path) -> None:
    wanted = answers(whole)
    newest = "SELECT text_hash FROM record ORDER BY record_id DESC LIMIT 1"
    run(path, f"DELETE FROM embedding WHERE text_hash = ({newest})")
    assert codes(path) == Break((), {"vector_row_without_vector"}).heard
    with HybridLibrary.open(path, embedder=embedder()) as library:
        assert library.search("copper", mode="semantic").pending == 1
        assert library.embed_pending().embedded == 1
    assert codes(path) == set()
    assert answers(path) == wanted


def test_a_vector_that_goes_while_a_library_is_open_is_an_error_in_words(path: Path) -> None:
    with HybridLibrary.open(path, embedder=embedder()) as library:
        library.search("copper", mode="lexical")  # knows which records have a vector, and has read none yet
        run(path, "DELETE FROM embedding")
        with pytest.raises(BrokenInvariant, match="rebuild"):
            library.search("copper")
        library.rebuild()
        assert library.search("copper").pending > 0


# Rebuilding a whole library


def test_a_rebuild_of_a_whole_library_changes_no_answer_and_calls_no_embedder(path: Path) -> None:
    before, canonical = answers(path), dump(path, (*CANONICAL, "embedding", "space"))
    rebuilt(path)
    assert answers(path) == before
    assert dump(path, (*CANONICAL, "embedding", "space")) == canonical


def test_a_rebuild_is_noticed_by_libraries_that_are_open(path: Path) -> None:
    with HybridLibrary.open(path, embedder=embedder()) as other:
        before = [(str(hit.locator), hit.score) for hit in other.search("copper supply")]
        rebuilt(path)
        assert [(str(hit.locator), hit.score) for hit in other.search("copper supply")] == before
        other.put(note("after", "copper cathodes"))
        assert len(other.search("copper cathodes", mode="lexical")) == 3
    assert codes(path) == set()


def test_a_rebuild_that_is_interrupted_changes_nothing(path: Path) -> None:
    before = dump(path)

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with HybridLibrary.open(path, embedder=embedder()) as library:
        with pytest.raises(KeyboardInterrupt):
            library.rebuild(progress=stop)
        library.put(note("after", "zircon"))  # numbers of words that were never committed are not used
        assert len(library.search("zircon", mode="lexical")) == 1
        library.purge(item_id("after"))
    assert codes(path) == set()
    assert {name: rows for name, rows in dump(path, CANONICAL).items() if name != "tombstone"} == {
        name: rows for name, rows in before.items() if name in CANONICAL and name != "tombstone"
    }


def test_a_type_that_is_not_registered_here_is_named_and_keeps_a_rebuild_away(path: Path) -> None:
    program = """
import sys
from typing import Literal
from hybridkb import HybridLibrary
from hybridkb.knowledge import FlatKnowledge
from hybridkb.records import Projection, register_projection
from oracles.items import EPOCH, item_id
from hybridkb.knowledge import SourceRef

class Memo(FlatKnowledge):
    item_type: Literal["memo_of_elsewhere"] = "memo_of_elsewhere"
    words: str

register_projection(Memo, Projection(title="words", body=()))
with HybridLibrary.open(sys.argv[1], embedder=None) as library:
    library.put(Memo(id=item_id("m"), as_of=EPOCH, created_at=EPOCH, source=SourceRef(kind="manual"), words="zinc"))
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    subprocess.run([sys.executable, "-c", program, address_of(path)], check=True, env=environment)
    assert codes(path) == {"unregistered_type"}
    before = dump(path)
    with HybridLibrary.open(path, embedder=None) as library, pytest.raises(UnregisteredType):
        library.rebuild()
    assert dump(path) == before


def test_compact_keeps_every_answer_and_gives_space_back(path: Path) -> None:
    with HybridLibrary.open(path, embedder=embedder()) as library:
        library.put_many(note(f"many {number}", f"filler number{number} " * 50) for number in range(300))
        for number in range(300):
            library.purge(item_id(f"many {number}"))
        assert library.compact() > 0 or on_server()  # whose other readers, even of other libraries, may hold it back
    assert codes(path) == set()
    assert ask(path, "SELECT count(*) FROM term WHERE word LIKE 'number%'") == [(0,)]
