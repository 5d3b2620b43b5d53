"""openai_tool: a strict schema for the model, and a function that answers in JSON whatever the model sends."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput
from hybridkb.tools import openai_tool, openai_tools, search_knowledge
from hybridkb.tools.catalog import BUILT_IN
from oracles.items import day, item_id, note


def walk(schema: Any) -> Any:
    """Every object schema in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from walk(value)


def test_the_schema_is_strict(desk: HybridLibrary) -> None:
    schema, call = openai_tool(desk)
    assert schema["type"] == "function"
    function = schema["function"]
    assert (function["name"], function["strict"], call.__name__) == ("search_knowledge", True, "search_knowledge")
    parameters = function["parameters"]
    for one in walk(parameters):
        assert one["additionalProperties"] is False
        assert set(one["required"]) == set(one["properties"])
    properties = parameters["properties"]
    assert properties["query"]["type"] == "string"
    assert properties["mode"] == properties["mode"] | {"enum": ["hybrid", "lexical", "semantic", None]}
    assert properties["tags"] == properties["tags"] | {"type": ["array", "null"], "items": {"type": "string"}}
    assert properties["sources"]["items"]["enum"][0] == "article"
    allowed = {"type", "enum", "items", "description"}
    assert all(set(one) <= allowed and one["description"] for one in properties.values())
    assert json.loads(json.dumps(schema)) == schema


def test_the_function_takes_what_models_send(desk: HybridLibrary) -> None:
    schema, call = openai_tool(desk)
    expected = search_knowledge(desk, "copper", limit=2, tags=["metals"])
    every = dict.fromkeys(schema["function"]["parameters"]["required"])
    sent = every | {"query": "copper", "limit": 2, "tags": ["metals"]}
    assert json.loads(call(json.dumps(sent))) == expected
    assert json.loads(call(sent)) == expected
    assert json.loads(call(query="copper", limit=2, tags="metals")) == expected


@pytest.mark.parametrize(("sent", "words"), [
    ({"query": "copper", "tag": "x"}, "did you mean 'tags'"),
    ({"query": "copper", "limit": "many"}, "whole number"),
    ({"query": "copper", "mode": "fuzzy"}, "use hybrid"),
    ({"query": "copper", "sources": ["rumour"]}, "use article"),
    ({"query": "copper", "as_of_after": "last week"}, "not an instant"),
    ({"query": None}, "needs query"),
    ({}, "needs query"),
    ("{not json", "not JSON"),
    ("[1]", "a JSON object"),
    ('{"query": "copper", "limit": 2, "limit": 3}', "'limit' stands twice"),
    ('{"query": "copper", "available_at_before": "2020-01-01", "available_at_before": null}', "stands twice"),
])  # fmt: skip
def test_wrong_arguments_are_answered_so_that_a_model_can_mend_them(
    desk: HybridLibrary, sent: Any, words: str
) -> None:
    _, call = openai_tool(desk)
    answer = json.loads(call(sent if isinstance(sent, str) else json.dumps(sent)))
    assert answer["error"].startswith("Invalid")
    assert words in answer["message"]
    assert "hits" not in answer


def test_an_argument_given_in_two_forms_is_refused(desk: HybridLibrary) -> None:
    _, call = openai_tool(desk)
    answer = json.loads(call({"query": "copper", "limit": 1}, limit=2))
    assert answer["error"] == "InvalidQuery"
    assert "'limit' twice" in answer["message"]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE_VALUES = (
    10**5000, -(10**5000), float("nan"), float("inf"), 1e308, nested(50_000), "x" * 300_000, "\ud800", "\0", "\x1b[2J",
    ["y" * 300_000], ["\ud800"], {"a": nested(50_000)}, b"x", object(), {1}, [None], True, "9999-12-31", "0001-01-01",
    "item:" + "z" * 300_000,
)  # fmt: skip


def test_no_value_of_any_argument_raises_or_is_given_back_at_length(desk: HybridLibrary) -> None:
    needed = {"query": "copper", "locator": f"item:{item_id(1)}"}
    for (_, call), tool in zip(openai_tools(desk), BUILT_IN, strict=True):
        for parameter in tool.parameters:
            for value in HOSTILE_VALUES:
                given = {one.name: needed[one.name] for one in tool.parameters if one.required}
                text = call({**given, parameter.name: value})
                assert len(text.encode()) < 8_000, (tool.name, parameter.name)


@pytest.mark.parametrize("name", ["x" * 300_000, "\ud800", "a\x1b[2Jb", "a\nb", ""])
def test_no_name_of_an_argument_is_given_back_as_it_is(desk: HybridLibrary, name: str) -> None:
    _, call = openai_tool(desk)
    text = call({"query": "copper", name: 1})
    assert "has no argument" in text
    assert len(text.encode()) < 1_500
    assert "\\n" not in json.loads(text).get("argument", "")
    assert "\x1b" not in json.loads(text).get("argument", "")


def test_a_day_is_read_in_the_zone_of_the_library_towards_seeing_less(tmp_path: Path) -> None:
    from hybridkb.store.settings import LibrarySettings

    with HybridLibrary.open(tmp_path / "t.db", embedder=None, settings=LibrarySettings(zone="Asia/Tokyo")) as library:
        library.put(note(1, "copper", available_at=datetime(2024, 3, 3, 15, tzinfo=UTC)))  # midnight of the 4th
        _, call = openai_tool(library)
        assert json.loads(call(query="copper", available_at_before="2024-03-04"))["count"] == 1
        assert json.loads(call(query="copper", available_at_before="2024-03-03"))["count"] == 0


class TestFixedCutoff:
    @pytest.mark.parametrize("arguments", [
        {}, {"available_at_before": None}, {"available_at_after": None}, {"limit": 50}, {"as_of_before": "2030-01-01"},
        {"mode": "lexical"}, {"collapse": "item"}, {"min_score": 0}, {"exclude_tags": ["x"]},
    ])  # fmt: skip
    def test_no_argument_passes_it(self, desk: HybridLibrary, arguments: dict[str, Any]) -> None:
        schema, call = openai_tool(desk, available_before=day(2))
        answer = json.loads(call({"query": "copper wheat report hostile", "limit": 50, **arguments}))
        assert {hit["title"] for hit in answer["hits"]} == {"Copper gap", "Wheat"}
        assert answer["cutoff"] == "2024-01-03T00:00:00Z"
        assert "Fixed at 2024-01-03T00:00:00Z" in schema["function"]["description"]

    def test_later_is_refused_in_words_and_earlier_shows_less(self, desk: HybridLibrary) -> None:
        _, call = openai_tool(desk, available_before="2024-01-03T00:00:00Z")
        for later in ("2024-01-03T00:00:00.000001Z", "2030-01-01", "9999-12-31T23:59:59Z"):
            answer = json.loads(call(query="copper", available_at_before=later))
            assert answer["error"] == "InvalidFilter"
            assert "leave it out, or give an earlier one" in answer["message"]
        assert json.loads(call(query="copper wheat", available_at_before="2024-01-02"))["count"] == 1

    def test_it_cannot_be_later_than_the_snapshot_behind_it(self, desk: HybridLibrary) -> None:
        snapshot = desk.snapshot(at=day(2))
        assert json.loads(openai_tool(snapshot, available_before=day(1))[1](query="wheat copper"))["count"] == 1
        with pytest.raises(InvalidInput, match="lies after the cutoff"):
            openai_tool(snapshot, available_before=day(3))
        with pytest.raises(InvalidInput, match="naive"):
            openai_tool(desk, available_before=datetime(2024, 1, 1))

    def test_later_knowledge_changes_no_answer(self, desk: HybridLibrary) -> None:
        _, call = openai_tool(desk, available_before=day(2))
        before = [call(query="copper wheat"), call(query="copper", tags=["none"])]
        desk.put(note(1, "Copper glut.", tags=("none",), available_at=day(9)))
        assert [call(query="copper wheat"), call(query="copper", tags=["none"])] == before


def test_a_path_stays_open(desk_file: Path) -> None:
    _, call = openai_tool(desk_file)
    assert json.loads(call(query="wheat"))["count"] == 1
    assert json.loads(call(query="copper"))["count"] > 1


def test_nothing_from_documents_enters_the_description(desk: HybridLibrary) -> None:
    text = json.dumps(openai_tool(desk)[0]).lower()
    assert not any(word in text for word in ("ignore all", "copper", "grains", "insurers", "hostile"))


def test_every_tool_that_reads_may_be_handed_out(desk: HybridLibrary) -> None:
    tools = {schema["function"]["name"]: (schema["function"], call) for schema, call in openai_tools(desk)}
    assert list(tools) == ["search_knowledge", "get_knowledge", "list_sources", "knowledge_status"]
    for schema, _ in tools.values():
        assert set(schema["parameters"]["required"]) == set(schema["parameters"]["properties"])
    found = json.loads(tools["search_knowledge"][1](query="copper gap", limit=1))["hits"][0]
    assert json.loads(tools["get_knowledge"][1](locator=found["locator"]))["title"] == found["title"]
    assert json.loads(tools["list_sources"][1]("{}"))["total"] == 6
    fixed = {schema["function"]["name"]: call for schema, call in openai_tools(desk, available_before=day(2))}
    assert json.loads(fixed["knowledge_status"]())["items"] == 2
    assert json.loads(fixed["get_knowledge"](locator=f"item:{item_id(4)}"))["error"] == "NotFound"
