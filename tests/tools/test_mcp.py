"""The MCP server, driven by the official client over standard streams and HTTP: every tool, wrong calls, the cutoff."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from hybridkb import HybridLibrary
from hybridkb.tools import get_knowledge, knowledge_status, list_sources, search_knowledge
from oracles.items import item_id
from tools.desks import desk_items
from tools.servers import Connection, http_server, stdio

NAMES = ["search_knowledge", "get_knowledge", "list_sources", "knowledge_status"]
TOKEN = "a-token-of-the-desk-0123456789"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mcp") / "desk.db"
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_many(desk_items())
    return path


@pytest.fixture(scope="module")
def url(file: Path) -> Iterator[str]:
    with http_server(file, "--token-env", "DESK_TOKEN", environment={"DESK_TOKEN": TOKEN}) as address:
        yield address


@pytest.fixture(scope="module", params=["stdio", "http", "http, older protocol"])
def client(request: pytest.FixtureRequest, file: Path) -> Iterator[Connection]:
    if request.param == "stdio":
        connection = Connection(stdio(file))
    else:
        address = request.getfixturevalue("url")
        connection = Connection(address, token=TOKEN, mode="legacy" if "older" in request.param else "auto")
    with connection as opened:
        yield opened


def test_tools_are_described_read_only_and_closed(client: Connection) -> None:
    tools = client.run(lambda one: one.list_tools()).tools
    assert [tool.name for tool in tools] == NAMES
    for tool in tools:
        assert tool.annotations
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema
    text = json.dumps([tool.model_dump(mode="json") for tool in tools]).lower()
    assert not any(word in text for word in ("ignore all", "copper", "insurers", "hostile"))


def test_every_tool_answers_as_its_function_does(client: Connection, file: Path) -> None:
    with HybridLibrary.open(file, embedder=None, read_only=True) as library:
        assert client.call("search_knowledge", query="copper", limit=2) == search_knowledge(library, "copper", limit=2)
        locator = f"item:{item_id('report')}#costs"
        given: dict[str, Any] = {"before": 1, "after": 1, "max_chars": 9_000}
        assert client.call("get_knowledge", locator=locator, **given) == get_knowledge(library, locator, **given)
        assert client.call("list_sources", by="tags", limit=2) == list_sources(library, "tags", limit=2)
        assert client.call("list_sources") == list_sources(library)
        assert client.call("knowledge_status") == knowledge_status(library)


def test_filters_and_days_are_understood(client: Connection) -> None:
    answer = client.call("search_knowledge", query="copper wheat", available_at_before="2024-01-03", tags=["grains"])
    assert [hit["title"] for hit in answer["hits"]] == ["Wheat"]
    assert answer["cutoff"] == "2024-01-03T00:00:00Z"
    assert client.call("search_knowledge", query="copper", tags=["metal"])["nothing_found"]["did_you_mean"]


def test_text_of_documents_comes_back_fenced(client: Connection) -> None:
    answer = client.call("search_knowledge", query="ignore previous instructions wire money", limit=1)
    (hit,) = answer["hits"]
    assert hit["snippet"].startswith(f"<untrusted {answer['fence']}>")
    read = client.call("get_knowledge", locator=hit["locator"])
    text = read["passages"][0]["text"]
    assert text.startswith(f"<untrusted {read['fence']}>")
    assert text.count(read["fence"]) == 2
    assert "\x1b" not in json.dumps(read, ensure_ascii=False)


@pytest.mark.parametrize(("tool", "given", "error", "words"), [
    ("search_knowledge", {"query": "x", "tag": "y"}, "InvalidFilter", "did you mean 'tags'"),
    ("search_knowledge", {"query": "x", "top_k": 1}, "InvalidQuery", "did you mean 'limit'"),
    ("search_knowledge", {"query": "x", "limit": 0}, "InvalidQuery", "from 1 to 50"),
    ("search_knowledge", {}, "InvalidQuery", "needs query"),
    ("search_knowledge", {"query": "x", "mode": "semantic"}, "EmbedderUnavailable", 'mode="hybrid" or "lexical"'),
    ("get_knowledge", {"locator": "x"}, "InvalidInput", "item:UUID"),
    ("get_knowledge", {"locator": f"item:{item_id('none')}"}, "NotFound", "holds no item"),
    ("list_sources", {"by": "authors"}, "InvalidQuery", "use documents"),
    ("knowledge_status", {"verbose": True}, "InvalidFilter", "it takes available_at_before"),
])  # fmt: skip
def test_wrong_calls_come_back_as_errors_that_say_how_to_mend_them(
    client: Connection, tool: str, given: dict[str, Any], error: str, words: str
) -> None:
    answer = client.error(tool, **given)
    assert answer["error"] == error
    assert words in answer["message"]


def test_an_unknown_tool_is_an_error_that_names_the_right_one(client: Connection) -> None:
    with pytest.raises(MCPError, match="did you mean 'search_knowledge'"):
        client.result("search_knowlege", query="x")


def test_calls_run_side_by_side(client: Connection) -> None:
    async def many(one: Client) -> list[Any]:
        calls = (one.call_tool("search_knowledge", {"query": f"copper {n}", "limit": 1}) for n in range(20))
        return list(await asyncio.gather(*calls))

    answers = client.run(many)
    assert [one.structured_content["query"] for one in answers] == [f"copper {n}" for n in range(20)]


def test_serving_wrote_nothing(client: Connection, file: Path) -> None:
    before = file.read_bytes()
    client.call("search_knowledge", query="copper")
    client.call("list_sources")
    assert file.read_bytes() == before


@pytest.fixture(scope="module")
def fixed(file: Path) -> Iterator[Connection]:
    with Connection(stdio(file, "--available-before", "2024-01-03")) as opened:
        yield opened


class TestFixedCutoff:
    """--available-before, whatever is sent."""

    def test_no_tool_shows_anything_later(self, fixed: Connection) -> None:
        found = fixed.call("search_knowledge", query="copper wheat report hostile brk.b", limit=50)
        assert {hit["title"] for hit in found["hits"]} == {"Copper gap", "Wheat"}
        assert [row["path"] for row in fixed.call("list_sources")["rows"]] == [
            "research/grains/wheat.md", "research/metals/gap.md",
        ]  # fmt: skip
        assert {row["value"] for row in fixed.call("list_sources", by="tags")["rows"]} == {"metals", "supply", "grains"}
        status = fixed.call("knowledge_status")
        assert (status["items"], status["cutoff"], status["cutoff_is_fixed"]) == (2, "2024-01-03T00:00:00Z", True)
        assert "nothing of item" in fixed.error("get_knowledge", locator=f"item:{item_id('report')}")["message"]
        assert "insurers" not in json.dumps(fixed.call("search_knowledge", query="x", tags=["insurer"]))

    @pytest.mark.parametrize("tool", NAMES)
    def test_later_is_refused_in_words_by_every_tool(self, fixed: Connection, tool: str) -> None:
        needed = {"search_knowledge": {"query": "x"}, "get_knowledge": {"locator": f"item:{item_id(1)}"}}.get(tool, {})
        for later in ("2024-01-04", "2024-01-03T00:00:00.000001Z", "2030-01-01T00:00:00+14:00"):
            answer = fixed.error(tool, **needed, available_at_before=later)
            assert answer["error"] == "InvalidFilter"
            assert "leave it out, or give an earlier one" in answer["message"]
        fixed.call(tool, **needed, available_at_before="2024-01-02")

    def test_it_is_told_in_descriptions(self, fixed: Connection) -> None:
        tools = fixed.run(lambda one: one.list_tools()).tools
        assert all("Fixed at 2024-01-03T00:00:00Z" in tool.description for tool in tools)
