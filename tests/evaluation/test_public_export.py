"""What may be published holds numbers, dates and words of this program; whatever a text column holds stays inside."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest
import sqlite_vec

from hybridkb import HybridLibrary
from hybridkb.evaluation import gold_set_of, promote, public_export, reindex
from hybridkb.fusion import Fusion
from hybridkb.knowledge import Provenance, SourceRef
from oracles.items import earnings, filing, item_id, note
from support.fake_embedder import HashEmbedder
from support.judged_library import documents, evaluate, records

pytestmark = pytest.mark.sqlite_only("writes into the file by hand")

SENTINEL = "sentinel8q3"
FAIR = HashEmbedder(16, f"model-{SENTINEL}", version=f"v-{SENTINEL}")
SAFE = {"kind", "target", "mode", "measure"}
"""Columns whose value is a word of a closed list; anything else in them must not get out either."""


def secret(what: str) -> str:
    return f"{what} {SENTINEL}"


@pytest.fixture
def library(open_library: Any) -> HybridLibrary:
    """A library with a sentinel in everything that a person or a source can write."""
    made: HybridLibrary = open_library(embedder=FAIR)
    card = Provenance("article", secret("kind"), "2024-01-01", secret("verdict"), f"https://example.org/{SENTINEL}")
    source = SourceRef(kind="local", uri=f"folder/{SENTINEL}.md", content_hash=secret("hash"))
    made.put_many([
        *documents(40),
        note("secret", secret("body"), title=secret("title"), tags=(secret("tag"),), provenance=card, source=source),
        note("gone", secret("gone")),
        earnings("e", SENTINEL.upper(), f"2024{SENTINEL}"),
        filing("f", {f"node-{SENTINEL}": secret("section")}, title=secret("filing")),
    ])  # fmt: skip
    made.purge(item_id("gone"), reason=secret("reason"))
    return made


@pytest.fixture
def evaluated(library: HybridLibrary) -> HybridLibrary:
    given = [*records(20), {"query": secret("query"), "relevant": [str(item_id("secret"))], "id": secret("id"),
                            "kind": secret("kind"), "note": secret("note")},
             {"query": secret("nothing"), "relevant": []}]  # fmt: skip
    gold = gold_set_of(given, name=f"/private/{SENTINEL}/gold.jsonl")
    evaluate(library, gold, k=3, note=secret("note"), filters={"exclude_tags": [secret("other tag")]})
    promote(library, baseline=True, note=secret("promotion"))
    reindex(library, fusion=Fusion(k=33.0), gold=gold, k=3, note=secret("reindex"), tolerance=1.0)
    return library


def test_it_tells_how_recall_went_and_how_much_there_is(evaluated: HybridLibrary) -> None:
    exported = public_export(evaluated)
    first, begun, candidate = exported["runs"]
    assert (first["kind"], first["target"], first["k"], first["queries"], first["negatives"]) == (
        "evaluate", "serving", 3, 21, 1,
    )  # fmt: skip
    assert first["promoted_at"] is not None
    assert begun["kind"] == "reindex"
    assert begun["figures"] == {}
    assert set(candidate["figures"]) == {"lexical", "semantic", "hybrid", "hybrid_minus_best"}
    assert 0 < candidate["figures"]["hybrid"]["recall"]["value"] <= 1
    counts = evaluated.stats()
    assert exported["library"]["items"] == counts.items
    assert exported["library"]["visible_records"] == counts.visible_records
    assert json.loads(json.dumps(exported)) == exported


def test_nothing_that_anybody_wrote_gets_out(evaluated: HybridLibrary) -> None:
    said = json.dumps(public_export(evaluated))
    assert SENTINEL not in said.lower()
    for record in records(20):
        assert record["query"] not in said


def test_a_series_holds_what_may_be_compared(evaluated: HybridLibrary) -> None:
    def series() -> list[int | None]:
        return [run["series"] for run in public_export(evaluated)["runs"]]

    assert series() == [1, None, 3]  # the first was filtered
    evaluate(evaluated, records(20), k=3)
    evaluate(evaluated, records(20), k=4)
    evaluate(evaluated, records(20), k=3)
    assert series() == [1, None, 3, 4, 5, 4]


def words(value: Any) -> set[str]:
    """Every text of an export, keys too."""
    if isinstance(value, dict):
        return set(value) | {word for entry in value.values() for word in words(entry)}
    if isinstance(value, list):
        return {word for entry in value for word in words(entry)}
    return {value} if isinstance(value, str) else set()


def test_every_text_is_a_word_of_this_program_or_a_date(evaluated: HybridLibrary) -> None:
    known = {
        "version", "library", "runs", "items", "revisions", "records", "visible_records", "unknown_availability",
        "first_available", "last_available", "run", "kind", "target", "started_at", "finished_at", "k", "mode",
        "queries", "negatives", "pending", "embedded", "promote", "promoted_at", "series", "figures", "value",
        "low", "high", "evaluate", "tune", "reindex", "serving", "candidate", "lexical", "semantic", "hybrid",
        "hybrid_minus_best", "recall", "precision", "ndcg", "mrr", "success",
    }  # fmt: skip
    others = words(public_export(evaluated)) - known
    assert all(other[:2] == "20" and other.endswith("+00:00") for other in others), others


def text_columns(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Every column of every ordinary table that can hold text or bytes, as the schema says now."""
    tables = [
        name for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith("sqlite_") and not str(sql).upper().startswith("CREATE VIRTUAL")
    ]  # fmt: skip
    found = []
    for table in tables:
        for column, kind in connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)):
            if kind.upper() in ("TEXT", "BLOB", ""):
                found.append((table, column))
    return found


def test_a_sentinel_in_any_text_column_of_any_table_stays_inside(evaluated: HybridLibrary, tmp_path: Path) -> None:
    """Columns are found in the schema, so that one added later is covered by itself."""
    copy = tmp_path / "planted.db"
    evaluated.compact()
    shutil.copy(evaluated.path, copy)
    connection = apsw.Connection(str(copy))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    columns = text_columns(connection)
    planted = set()
    with HybridLibrary.open(copy, embedder=None, read_only=True) as library:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA foreign_keys = OFF")
        for table, column in columns:
            for value in (f"'{SENTINEL}'", f"'{SENTINEL}' || hex(randomblob(6))", f"CAST('{SENTINEL}' AS BLOB)"):
                try:
                    connection.execute(f'UPDATE "{table}" SET "{column}" = {value}')
                except apsw.Error:
                    continue  # unique, or an index of its own: the next way
                planted.add((table, column))
                assert SENTINEL not in json.dumps(public_export(library)), (table, column, value)
        assert len(public_export(library)["runs"]) == 3
    connection.close()
    of = ("run", "run_figure", "record", "library", "item")
    wanted = {(table, column) for table, column in columns if table in of}
    assert wanted <= planted
    assert {column for table, column in wanted if table in ("run", "run_figure")} >= SAFE


def test_numbers_that_are_no_numbers_stay_inside(evaluated: HybridLibrary) -> None:
    connection = apsw.Connection(evaluated.path)
    for column in ("started_at", "k", "queries", "items", "promote", "promoted_at"):
        connection.execute(f"UPDATE run SET {column} = '{SENTINEL}'")
    connection.execute(f"UPDATE run_figure SET value = '{SENTINEL}'")
    connection.execute("UPDATE run SET finished_at = 9223372036854775807")
    exported = public_export(evaluated)
    assert SENTINEL not in json.dumps(exported)
    assert exported["runs"][0]["k"] is None
    assert exported["runs"][0]["finished_at"] is None
    connection.execute("DELETE FROM run_figure")
    connection.execute("UPDATE run SET started_at = 1, k = 1, queries = 1, items = 1, promote = 0, promoted_at = NULL")
    connection.close()
