"""Tools as data: names, schemas, which of them are served; the registration point for other rooms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import DatabaseError, InvalidFilter, InvalidInput, InvalidQuery
from hybridkb.tools.catalog import BUILT_IN, registry
from hybridkb.tools.desk import Desk
from hybridkb.tools.parameters import Parameter
from hybridkb.tools.registry import Registry, Tool, error_card

LOCATOR = Parameter("locator", "text", "Which one.", required=True)


def writing(name: str = "reindex_memory") -> Tool:
    def index(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"done": dict(arguments)}

    return Tool(name, "Index anew", "Indexes.", (LOCATOR,), index, writes=True)


def test_four_tools_that_only_read_are_built_in() -> None:
    names = [tool.name for tool in registry().served()]
    assert names == ["search_knowledge", "get_knowledge", "list_sources", "knowledge_status"]
    assert not any(tool.writes for tool in BUILT_IN)


def test_a_tool_that_writes_is_served_in_write_mode_only(desk: HybridLibrary) -> None:
    tools = registry()
    tools.add(writing())
    assert "reindex_memory" not in [tool.name for tool in tools.served()]
    assert "reindex_memory" in [tool.name for tool in tools.served(allow_write=True)]
    with pytest.raises(InvalidQuery, match="started read-only"):
        tools.find("reindex_memory")
    tool = tools.find("reindex_memory", allow_write=True)
    assert tool.call(Desk(desk), {"locator": "x"}) == {"done": {"locator": "x"}}


def test_an_unknown_tool_is_told_the_right_one() -> None:
    with pytest.raises(InvalidQuery, match="did you mean 'search_knowledge'"):
        registry().find("search_knowlege")
    with pytest.raises(InvalidQuery, match="there are search_knowledge"):
        registry().find("zzz")


@pytest.mark.parametrize("name", ["", "Search", "with space", "x" * 65, "1st", "search_knowledge"])
def test_a_name_that_cannot_be_had_is_refused(name: str) -> None:
    tools = Registry(BUILT_IN)
    with pytest.raises(InvalidInput):
        tools.add(writing(name))


def test_two_arguments_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one name"):
        Registry([Tool("x", "x", "x", (LOCATOR, LOCATOR), lambda desk, arguments: {})])


@pytest.mark.parametrize("tool", BUILT_IN, ids=lambda tool: tool.name)
def test_schemas_are_valid_and_closed(tool: Tool) -> None:
    for schema in (tool.input_schema(), tool.input_schema(strict=True)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
    answers = tool.output_schema()
    assert answers is not None
    jsonschema.Draft202012Validator.check_schema(answers)


@pytest.mark.parametrize("arguments", [
    {"query": "copper", "limit": 2, "tags": ["metals"], "available_at_before": "2024-03-01", "min_score": 0.1},
    {"query": "", "mode": "lexical", "collapse": "document", "sources": ["scout"], "max_chars": 500},
])  # fmt: skip
def test_what_the_schema_takes_the_tool_takes(desk: HybridLibrary, arguments: dict[str, Any]) -> None:
    tool = registry().find("search_knowledge")
    jsonschema.validate(arguments, tool.input_schema())
    answer = tool.call(Desk(desk), arguments)
    jsonschema.validate(answer, tool.output_schema() or {})


def test_every_answer_fits_its_schema(desk: HybridLibrary) -> None:
    calls: dict[str, list[dict[str, Any]]] = {
        "search_knowledge": [{"query": "copper"}, {"query": "copper", "tags": ["none"]}],
        "get_knowledge": [{"locator": search(desk)}],
        "list_sources": [{}, {"by": "tags"}],
        "knowledge_status": [{}, {"available_at_before": "2024-01-02"}],
    }
    for name, every in calls.items():
        tool = registry().find(name)
        for arguments in every:
            jsonschema.validate(tool.call(Desk(desk), arguments), tool.output_schema() or {})


def search(library: HybridLibrary) -> str:
    return str(library.search("copper")[0].locator)


def test_unknown_arguments_are_errors_in_every_tool(desk: HybridLibrary) -> None:
    for tool in BUILT_IN:
        with pytest.raises((InvalidFilter, InvalidQuery), match="has no argument 'nonsense_zzz'"):
            tool.call(Desk(desk), {"nonsense_zzz": 1})


def test_an_error_does_not_tell_where_the_library_lies(tmp_path: Path) -> None:
    path = str(tmp_path / "desk.db")
    card = error_card(DatabaseError(f"{path}: damaged\x1b[2J", path=path))
    assert card == {"error": "DatabaseError", "message": "desk.db: damaged"}
    assert error_card(InvalidInput("'/srv/notes' is no folder"))["message"] == "'notes' is no folder"
    assert error_card(InvalidFilter("path_prefix '/a/b' is absolute"))["message"] == "path_prefix '/a/b' is absolute"
    assert error_card(InvalidQuery("x", field="limit"))["argument"] == "limit"
