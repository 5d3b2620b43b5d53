"""Each filter selects in SQL what a plain Python condition selects; each mistake is told with the way to mend it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from hybridkb import HybridLibrary
from hybridkb.database import Database, read_ids
from hybridkb.database.conditions import with_conditions
from hybridkb.database.statements import statement_names
from hybridkb.errors import InvalidFilter
from hybridkb.filters import FILTER_NAMES, Filters, compile_filters
from hybridkb.knowledge import SOURCE_CLASSES, KnowledgeItem, Provenance, SourceRef
from hybridkb.knowledge.times import to_microseconds
from hybridkb.records import Record, project
from hybridkb.resident import Follower
from hybridkb.search.candidates import passing_records
from oracles.items import day, document, earnings, filing, item_id, note
from support.raw_rows import open_tables

Row = tuple[KnowledgeItem, Record]
CONDITIONS = {name.rpartition("/")[2] for name in statement_names("filters", "sqlite")}


def make_items() -> list[KnowledgeItem]:
    """Items that differ in everything a filter may ask for."""
    chance = random.Random(7)
    items: list[KnowledgeItem] = []
    for number in range(80):
        card = Provenance(
            source=chance.choice(SOURCE_CLASSES),
            kind=chance.choice(["memo", "call", None]),
            doc_date=chance.choice([None, "2024-01-05", "2024-02-29", "2025-12-31"]),
            verdict=chance.choice(["buy", "hold", None]),
        )
        path = chance.choice(["desk/a/x.md", "desk/ab/y.md", "desk/a.md", "other/desk/a/z.md", "desk/a", "desk/a0.md"])
        common: dict[str, Any] = {
            "tags": tuple(chance.sample(["metals", "rates", "Énergie", "日本", "a,b"], chance.randint(0, 3))),
            "confidence": chance.choice(["low", "medium", "high"]),
            "as_of": day(chance.randint(-50, 0)),
            "available_at": chance.choice([None, *map(day, range(5))]),
            "provenance": chance.choice([None, card]),
            "source": SourceRef(kind=chance.choice(["manual", "local", "rss"]), uri=path),
        }
        kind = number % 3
        if kind == 0:
            items.append(note(number, "body", **common))
        elif kind == 1:
            ticker, period = chance.choice(["AAPL", "Brk.B"]), chance.choice(["2024Q1", "fy2023"])
            items.append(earnings(number, ticker, period, **common))
        else:
            items.append(filing(number, ["one", "two"], **common))
    return [*items, document(80, ["one", "two"], "rules"), document(81, ["three"], "research", tags=("metals",))]


ITEMS = make_items()
ROWS: dict[str, Row] = {str(record.locator): (item, record) for item in ITEMS for record in project(item)}


@pytest.fixture(scope="module")
def database(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = Path(tmp_path_factory.mktemp("filters")) / "library.db"
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_many(ITEMS)
    opened = open_tables(path)
    yield opened
    opened.close()


def selected(database: Database, arguments: dict[str, Any]) -> set[str]:
    """Locators that the compiled filter selects; the last check of a search must agree."""
    compiled = compile_filters(Filters.of(arguments))
    conditions = (compiled.visibility, *compiled.conditions)
    with database.read() as connection:
        names = dict(connection.text_rows("SELECT record_id, locator FROM record"))
        sql = with_conditions(connection, "filters/candidates", conditions)
        ids = set(read_ids(connection.text_rows(sql, compiled.bindings)[0][0]).tolist())
        sql = with_conditions(connection, "filters/confirm", conditions)
        everyone = {"ids": str(sorted(names)), **compiled.bindings}
        assert {row[0] for row in connection.text_rows(sql, everyone)} == ids
        resident = Follower().resident(connection)
        passing = passing_records(connection, resident, compiled)
        visible = resident.visibility(compiled.bindings.get("cutoff")).mask
        assert set(np.flatnonzero(visible if passing is None else visible & passing).tolist()) == ids
    return {names[record_id] for record_id in ids}


def within(path: str | None, prefix: str) -> bool:
    segments = prefix.split("/")
    return path is not None and path.split("/")[: len(segments)] == segments


def known(value: Any, condition: Callable[[Any], bool]) -> bool:
    return value is not None and condition(value)


PLAIN: dict[str, list[tuple[Any, Callable[[KnowledgeItem, Record], bool]]]] = {
    "item_types": [
        ("note", lambda _, r: r.item_type == "note"),
        (["filing", "earnings"], lambda _, r: r.item_type in ("filing", "earnings")),
        (["nothing"], lambda _, r: False),
    ],
    "artifact_kinds": [("paper_summary", lambda _, r: r.artifact_kind == "paper_summary")],
    "source_kinds": [(["local", "rss"], lambda _, r: r.source_kind in ("local", "rss"))],
    "sources": [(SOURCE_CLASSES[1], lambda _, r: r.source_class == SOURCE_CLASSES[1])],
    "kinds": [("memo", lambda _, r: r.kind == "memo")],
    "verdicts": [(["buy", "hold"], lambda _, r: r.verdict in ("buy", "hold"))],
    "confidence": [(["low", "high"], lambda _, r: r.confidence in ("low", "high"))],
    "min_trust": [
        (name, lambda _, r, place=place: r.source_class in SOURCE_CLASSES[: place + 1])
        for place, name in enumerate(SOURCE_CLASSES)
    ],
    "tags": [
        ("metals", lambda _, r: "metals" in r.tags),
        (["metals", "日本", "metals"], lambda _, r: {"metals", "日本"} <= set(r.tags)),
        ("a,b", lambda _, r: "a,b" in r.tags),
        ("met", lambda _, r: False),
    ],
    "any_tags": [(["metals", "Énergie"], lambda _, r: bool({"metals", "Énergie"} & set(r.tags)))],
    "exclude_tags": [(["metals", "rates"], lambda _, r: not {"metals", "rates"} & set(r.tags))],
    "tickers": [(["aapl"], lambda _, r: "AAPL" in r.tickers), ("BRK.B", lambda _, r: "Brk.B" in r.tickers)],
    "periods": [(["2024q1", "FY2023"], lambda _, r: bool(r.periods)), ("2024q1", lambda _, r: "2024Q1" in r.periods)],
    "collections": [
        ("rules", lambda _, r: r.collections == ("rules",)),
        (["research", "rules"], lambda _, r: bool(r.collections)),
        ("Rules", lambda _, r: False),
    ],
    "tree_id": [(item_id(2), lambda _, r: r.tree_id == str(item_id(2))), (str(item_id(0)), lambda _, r: False)],
    "artifact_ids": [([item_id(2)], lambda _, r: False)],
    "path_prefix": [
        (prefix, lambda _, r, prefix=prefix: within(r.path, prefix.strip("/").removeprefix("./")))
        for prefix in ("desk", "desk/a", "desk/a/", "./desk/ab", "other/desk", "des", "desk/a/x.md", "%", "desk/_")
    ],
    "as_of_after": [(day(-20), lambda i, _: i.as_of >= day(-20))],
    "as_of_before": [("2023-12-10T00:00:00+00:00", lambda i, _: i.as_of <= datetime(2023, 12, 10, tzinfo=UTC))],
    "available_at_after": [(day(2), lambda i, _: known(i.available_at, lambda at: at >= day(2)))],
    "available_at_before": [(day(2), lambda i, _: known(i.available_at, lambda at: at <= day(2)))],
    "doc_date_after": [(date(2024, 2, 29), lambda _, r: known(r.doc_date, lambda on: on >= "2024-02-29"))],
    "doc_date_before": [("2024-02-29", lambda _, r: known(r.doc_date, lambda on: on <= "2024-02-29"))],
}
CASES = [(name, value, plain) for name, cases in PLAIN.items() for value, plain in cases]


def test_every_filter_has_a_condition_and_a_plain_one() -> None:
    assert set(PLAIN) == set(FILTER_NAMES)
    assert CONDITIONS - set(FILTER_NAMES) == {
        "candidates", "confirm", "listed", "standing_at", "standing_now", "visible_at", "visible_now"
    }  # fmt: skip
    assert set(FILTER_NAMES) - CONDITIONS == {"available_at_before"}  # the cutoff is visible_at


def test_a_kind_of_artifact_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidFilter, match="'chunks'; use paper_chunk_set, paper_summary, paper_tree"):
        Filters.of({"artifact_kinds": ["chunks"]})


def test_no_filter_selects_everything(database: Database) -> None:
    assert selected(database, {}) == set(ROWS)
    assert selected(database, dict.fromkeys(FILTER_NAMES)) == set(ROWS)


@pytest.mark.parametrize(("name", "value", "plain"), CASES, ids=[f"{name}={value}" for name, value, _ in CASES])
def test_a_filter_selects_what_the_plain_condition_selects(
    database: Database, name: str, value: Any, plain: Callable[[KnowledgeItem, Record], bool]
) -> None:
    wanted = {locator for locator, row in ROWS.items() if plain(*row)}
    assert selected(database, {name: value}) == wanted
    assert len(wanted) < len(ROWS)


def test_most_cases_select_something() -> None:
    empty = {name for name, cases in PLAIN.items() if not any(c(*row) for _, c in cases for row in ROWS.values())}
    assert empty == {"artifact_kinds", "artifact_ids"}


def test_filters_together_select_the_intersection(database: Database) -> None:
    chance = random.Random(3)
    pairs = list(itertools.combinations(CASES, 2))
    tried = 0
    for (one, value, plain), (other, second, condition) in chance.sample(pairs, 150):
        if one == other:
            continue
        try:
            found = selected(database, {one: value, other: second})
        except InvalidFilter:
            continue
        tried += 1
        assert found == {locator for locator, row in ROWS.items() if plain(*row) and condition(*row)}, (one, other)
    assert tried > 100


def test_bounds_are_inclusive_to_the_microsecond(database: Database) -> None:
    for name, rounded in (("as_of_after", 1), ("as_of_before", -1), ("available_at_before", -1)):
        assert getattr(Filters.of({name: day(2)}), name) == to_microseconds(day(2))
        finer = "2024-01-03T00:00:00.0000005Z"
        assert getattr(Filters.of({name: finer}), name) == to_microseconds(day(2)) + (rounded > 0)


def test_no_value_is_read_as_sql(database: Database) -> None:
    for value in ("'; DROP TABLE record; --", '"', "%", "*", "\0", "[", "]]"):
        for name in ("tags", "any_tags", "item_types", "kinds", "verdicts", "tickers", "path_prefix"):
            assert selected(database, {name: value}) == set()
        assert selected(database, {"exclude_tags": value}) == set(ROWS)


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"tag": "x"}, "did you mean 'tags'", "tag"),
    ({"avail_before": "x"}, "did you mean 'available_at_before'", "avail_before"),
    ({"qqqqqq": 1}, "known are item_types", "qqqqqq"),
    ({"tags": 5}, "takes a text or a list of texts, not 5", "tags"),
    ({"tags": b"x"}, "takes a text or a list of texts", "tags"),
    ({"tags": {"x": 1}}, "takes a text or a list of texts", "tags"),
    ({"tags": [5]}, "takes text, not 5", "tags"),
    ({"tags": ["x", ""]}, "takes text, not ''", "tags"),
    ({"tags": []}, "is an empty list", "tags"),
    ({"tags": ["\ud800"]}, "lone surrogate", "tags"),
    ({"confidence": "sure"}, "does not know 'sure'; use low, medium, high", "confidence"),
    ({"source_kinds": ["rss", "fax"]}, "does not know 'fax'", "source_kinds"),
    ({"sources": "rumour"}, "does not know 'rumour'", "sources"),
    ({"min_trust": "rumour"}, "rumour", "min_trust"),
    ({"min_trust": 3}, "takes text, not 3", "min_trust"),
    ({"tree_id": "x"}, "takes an id", "tree_id"),
    ({"tree_id": 7}, "takes text, not 7", "tree_id"),
    ({"artifact_ids": "x"}, "takes an id", "artifact_ids"),
    ({"artifact_ids": [UUID(int=1), "x"]}, "takes an id", "artifact_ids"),
    ({"artifact_ids": []}, "is an empty list", "artifact_ids"),
    ({"artifact_ids": 5}, "takes a text or a list of texts", "artifact_ids"),
    ({"path_prefix": "/"}, "names no path segment", "path_prefix"),
    ({"path_prefix": ""}, "takes text", "path_prefix"),
    ({"as_of_after": datetime(2024, 1, 1)}, "as_of_after", "as_of_after"),
    ({"as_of_after": "2024-01-01T00:00:00"}, "as_of_after", "as_of_after"),
    ({"as_of_after": date(2024, 1, 1)}, "takes an aware datetime", "as_of_after"),
    ({"available_at_before": 1700000000}, "takes an aware datetime", "available_at_before"),
    ({"available_at_before": "soon"}, "available_at_before", "available_at_before"),
    ({"doc_date_after": "2024-13-01"}, "YYYY-MM-DD", "doc_date_after"),
    ({"doc_date_after": datetime(2024, 1, 1, tzinfo=UTC)}, "doc_date_after", "doc_date_after"),
    ({"as_of_after": day(2), "as_of_before": day(1)}, "exchange them", "as_of_after"),
    ({"available_at_after": day(2), "available_at_before": day(1)}, "exchange them", "available_at_after"),
    ({"doc_date_after": "2024-02-01", "doc_date_before": "2024-01-01"}, "2024-02-01", "doc_date_after"),
    ({"tags": ["a", "b"], "exclude_tags": "b"}, "both asked for and excluded", "exclude_tags"),
    ({"any_tags": ["a", "b"], "exclude_tags": ["b", "a"]}, "every tag of any_tags", "exclude_tags"),
    ({"min_trust": SOURCE_CLASSES[0], "sources": SOURCE_CLASSES[-1]}, "trusted less", "min_trust"),
]


@pytest.mark.parametrize(("arguments", "message", "field"), WRONG, ids=[f"{case[0]}" for case in WRONG])
def test_a_mistake_is_told_in_words(arguments: dict[str, Any], message: str, field: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        Filters.of(arguments)
    assert message in str(caught.value)
    assert caught.value.field == field


def test_what_can_still_match_is_no_mistake() -> None:
    Filters.of({"as_of_after": day(1), "as_of_before": day(1)})
    Filters.of({"any_tags": ["a", "b"], "exclude_tags": "b"})
    Filters.of({"min_trust": SOURCE_CLASSES[1], "sources": [SOURCE_CLASSES[0], SOURCE_CLASSES[-1]]})
    assert Filters.of({"artifact_ids": [UUID(int=1), str(UUID(int=1)).upper()]}).artifact_ids == (str(UUID(int=1)),)
