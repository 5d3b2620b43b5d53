"""What there is to search: counts under the filters of a search, values and items, none of it later than the cutoff."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from conftest import Opener
from hybridkb import AsyncHybridLibrary, HybridLibrary
from hybridkb.errors import InvalidFilter, InvalidInput
from hybridkb.filters.filters import FILTER_NAMES
from hybridkb.knowledge import Provenance, SourceRef
from hybridkb.search.contents import LISTABLE
from oracles.items import day, earnings, filing, item_id, news, note


def local(path: str) -> SourceRef:
    return SourceRef(kind="local", uri=path)


@pytest.fixture
def desk(library: HybridLibrary) -> HybridLibrary:
    library.put_many(
        [
            note(1, "copper", tags=("metals", "supply"), source=local("research/metals/copper.md"), confidence="high"),
            note(2, "copper again", tags=("metals",), source=local("research/metals/more.md"), available_at=day(2)),
            note(3, "wheat", tags=("grains", "supply"), source=local("rules.md"), available_at=day(4)),
            news(4, "cocoa", provenance=Provenance("scout", kind="brief", verdict="keep"), available_at=day(6)),
            earnings(5, "BRK.B", "FY2022", available_at=day(8)),
            filing(6, ["risk", "ore"], ticker="HVL", period="FY2023", available_at=None, tags=("metals",)),
        ]
    )
    return library


FILTERS: dict[str, Any] = {"item_types": "note", "tags": "metals", "path_prefix": "research"}


def test_each_filter_is_counted_alone_and_left_out(desk: HybridLibrary) -> None:
    counts = desk.count(**FILTERS, confidence="high")
    assert (counts.records, counts.items, counts.passing, counts.cutoff) == (8, 6, 1, None)
    found = {one.name: (one.alone, one.without) for one in counts.filters}
    assert found == {"item_types": (3, 1), "tags": (5, 1), "path_prefix": (2, 1), "confidence": (1, 2)}
    assert {one.name: one.value for one in counts.filters}["tags"] == ("metals",)


def test_without_filters_everything_visible_passes(desk: HybridLibrary) -> None:
    counts = desk.count()
    assert (counts.passing, counts.filters) == (8, ())
    counts = desk.count(available_at_before=day(4))
    assert (counts.records, counts.items, counts.passing, counts.cutoff) == (3, 3, 3, day(4))


def test_counts_are_those_of_searches(desk: HybridLibrary) -> None:
    """A search with enough room and a word that every record holds finds what is counted."""
    for filters in (FILTERS, {"tickers": "hvl"}, {"exclude_tags": "metals", "as_of_before": day(9)}, {"tags": "none"}):
        for cutoff in (None, day(3), day(7)):
            every = filters | ({"available_at_before": cutoff} if cutoff else {})
            counts = desk.count(**every)
            assert counts.passing == len(found(desk, every))
            for one in counts.filters:
                rest = {name: value for name, value in every.items() if name != one.name}
                kept = {name: every[name] for name in ("available_at_before", one.name) if name in every}
                assert (one.alone, one.without) == (len(found(desk, kept)), len(found(desk, rest)))


def found(library: HybridLibrary, filters: dict[str, Any]) -> set[str]:
    """By meaning every record is found, whatever its words."""
    return {str(hit.locator) for hit in library.search("copper", mode="semantic", top_k=100, **filters)}


def test_values_come_with_counts_and_dates(desk: HybridLibrary) -> None:
    page = desk.list_values("tags")
    assert [(one.value, one.records, one.items) for one in page.values] == [
        ("metals", 5, 3), ("supply", 2, 2), ("grains", 1, 1),
    ]  # fmt: skip
    metals = page.values[0]
    assert (metals.first_available_at, metals.last_available_at) == (day(0), day(2))
    assert page.total == 3
    rest = desk.list_values("any_tags", limit=1, offset=1)
    assert ([one.value for one in rest.values], rest.total) == (["supply"], 3)
    assert desk.list_values("tags", offset=7).total == 3


def test_every_kind_of_value_can_be_listed(desk: HybridLibrary) -> None:
    values = {name: {one.value for one in desk.list_values(name).values} for name in LISTABLE}
    assert values["item_types"] == {"note", "news", "earnings", "filing"}
    assert values["path_prefix"] == {"research/metals", ""}
    assert values["sources"] == {"scout"}
    assert (values["kinds"], values["verdicts"]) == ({"brief"}, {"keep"})
    assert values["tickers"] == {"brk.b", "hvl"}
    assert values["periods"] == {"fy2022", "fy2023"}
    assert values["confidence"] == {"high", "medium"}
    assert values["source_kinds"] == {"local", "manual"}
    assert values["artifact_kinds"] == values["collections"] == set()
    assert set(LISTABLE) <= set(FILTER_NAMES)
    assert [one.value for one in desk.list_values("tags", item_types="filing").values] == ["metals"]


def test_items_come_by_path_then_id(desk: HybridLibrary) -> None:
    page = desk.list_items(limit=3)
    assert [one.path for one in page.items] == ["research/metals/copper.md", "research/metals/more.md", "rules.md"]
    assert page.total == 6
    others = desk.list_items(limit=3, offset=3)
    assert [str(one.item_id) for one in others.items] == sorted(str(item_id(number)) for number in (4, 5, 6))
    (tree,) = desk.list_items(ids=[item_id(6), item_id("unknown")]).items
    assert (tree.title, tree.records, tree.tags, tree.available_at) == ("Annual report", 3, ("metals",), None)
    assert desk.list_items(path_prefix="research").total == 2


def test_nothing_later_than_the_cutoff_is_listed(desk: HybridLibrary) -> None:
    snapshot = desk.snapshot(at=day(3))
    assert {one.value for one in snapshot.list_values("tags").values} == {"metals", "supply"}
    assert snapshot.list_values("tickers").total == 0
    assert {one.item_id for one in snapshot.list_items().items} == {item_id(1), item_id(2)}
    assert snapshot.list_items(ids=[item_id(3)]).items == ()
    counts = snapshot.count(tags="grains")
    assert (counts.records, counts.items, counts.passing, counts.cutoff) == (2, 2, 0, day(3))
    assert (counts.filters[0].alone, counts.filters[0].without) == (0, 2)
    for ask in (snapshot.count, snapshot.list_items, lambda **f: snapshot.list_values("tags", **f)):
        with pytest.raises(InvalidFilter, match="lies after the snapshot's own"):
            ask(available_at_before=day(5))
    assert snapshot.count(available_at_before=day(1)).records == 1


def test_what_comes_later_changes_no_overview(desk: HybridLibrary) -> None:
    def seen() -> tuple[Any, ...]:
        snapshot = desk.snapshot(at=day(3))
        values = tuple(snapshot.list_values(name) for name in LISTABLE)
        return values, snapshot.list_items(), snapshot.count(**FILTERS)

    before = seen()
    desk.put(note(1, "copper revised", tags=("revised",), source=local("elsewhere.md"), available_at=day(5)))
    desk.delete(item_id(2), at=day(9))
    assert seen() == before


def test_a_snapshot_of_a_snapshot_looks_no_further(desk: HybridLibrary) -> None:
    snapshot = desk.snapshot(at=day(5))
    assert snapshot.snapshot(at=day(1)).count().records == 1
    with pytest.raises(InvalidFilter, match="earlier"):
        snapshot.snapshot(at=day(6))
    assert snapshot.settings == desk.settings


@pytest.mark.parametrize(("arguments", "error"), [
    ({"tag": "metals"}, "did you mean 'tags'"),
    ({"tags": []}, "empty list"),
    ({"as_of_after": "2024-01-01"}, "date alone"),
])  # fmt: skip
def test_wrong_filters_are_named(library: HybridLibrary, arguments: dict[str, Any], error: str) -> None:
    for ask in (library.count, library.list_items, lambda **f: library.list_values("tags", **f)):
        with pytest.raises(InvalidFilter, match=error):
            ask(**arguments)


def test_wrong_bounds_are_named(library: HybridLibrary) -> None:
    for bounds in ({"limit": 0}, {"limit": 10_001}, {"offset": -1}, {"limit": True}, {"limit": "5"}):
        with pytest.raises(InvalidInput, match="whole number"):
            library.list_items(**bounds)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="did you mean 'tickers'"):
        library.list_values("ticker")
    with pytest.raises(InvalidInput, match="use one of"):
        library.list_values("zzzz")
    with pytest.raises(InvalidInput, match="not an item id"):
        library.list_items(ids=["x"])


def test_async_asks_the_same(tmp_path: Path, open_library: Opener) -> None:
    open_library("a.db").put(note(1, "copper", tags=("metals",)))

    async def work() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=None) as library:
            snapshot = await library.snapshot(at=day(1))
            for view in (library, snapshot, await snapshot.snapshot(at=day(0))):
                assert (await view.count(tags="metals")).passing == 1
                assert (await view.list_values("tags")).values[0].value == "metals"
                assert (await view.list_items()).total == 1
            assert await snapshot.settings == await library.settings

    asyncio.run(work())
