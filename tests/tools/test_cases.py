"""Small inputs that broke other systems: asked of the library, the tools, MCP and the command line alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from hybridkb.tools import openai_tool, search_knowledge
from oracles.items import item_id, note
from tools.servers import Connection, stdio

Ask = Callable[[str, str], list[str]]
"""Asks a query in a mode; gives the locators that were found, best first."""

SIGNS = ("BRK.B rose after the 10-K", "S&P 500 closed at 1,234.50", "we use C++ for $AAPL quotes")
FOUND = (("BRK.B", 1), ("10-K", 1), ("S&P 500", 2), ("1,234.50", 2), ("C++", 3), ("$AAPL", 3))
ODD = ("(", "'", '"', "-k", "x:foo", "", "  ", "NOT", "NEAR(", "a\0b", "*", "\ud800")
WAYS = ("library", "tool", "function", "mcp", "command line")


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("cases")
    texts = {"signs": SIGNS, "apostrophe": ("the desk's view on copper", "Wheat exports rise", "tides of the sea")}
    files = {}
    for name, bodies in texts.items():
        files[name] = root / f"{name}.db"
        with HybridLibrary.open(files[name], embedder="local") as library:
            library.put_many([note(number, body) for number, body in enumerate(bodies, start=1)])
    return files


@pytest.fixture(scope="module", params=WAYS)
def ways(request: pytest.FixtureRequest, desks: dict[str, Path]) -> Iterator[Callable[[str], Ask]]:
    """One way to ask each of the desks."""
    with ExitStack() as stack:

        def ask_library(path: Path) -> Ask:
            library = stack.enter_context(HybridLibrary.open(path, read_only=True))
            return lambda query, mode: [str(hit.locator) for hit in library.search(query, mode=mode)]  # type: ignore[arg-type]

        def ask_tool(path: Path) -> Ask:
            library = stack.enter_context(HybridLibrary.open(path, read_only=True))
            return lambda query, mode: locators(search_knowledge(library, query, mode=mode))  # type: ignore[arg-type]

        def ask_function(path: Path) -> Ask:
            _, call = openai_tool(path)
            return lambda query, mode: locators(json.loads(call(json.dumps({"query": query, "mode": mode}))))

        def ask_mcp(path: Path) -> Ask:
            client = stack.enter_context(Connection(stdio(path, embedder="auto")))
            return lambda query, mode: locators(client.call("search_knowledge", query=query, mode=mode))

        def ask_command(path: Path) -> Ask:
            def ask(query: str, mode: str) -> list[str]:
                arguments = ["-d", str(path), "--json", "search", "--mode", mode, "--", query]
                result = CliRunner().invoke(cli, arguments)
                assert result.exit_code in (0, 1), result.output
                return [hit["locator"] for hit in json.loads(result.stdout)["hits"]]

            return ask

        make = dict(zip(WAYS, (ask_library, ask_tool, ask_function, ask_mcp, ask_command), strict=True))
        yield cache(lambda name: make[request.param](desks[name]))


def locators(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    assert "error" not in answer, answer
    return [hit["locator"] for hit in answer["hits"]]


@pytest.mark.model
def test_a1_punctuation_is_found_as_written(ways: Callable[[str], Ask]) -> None:
    ask = ways("signs")
    for query, number in FOUND:
        assert ask(query, "hybrid")[0] == f"item:{item_id(number)}", query
        assert ask(query, "lexical")[0] == f"item:{item_id(number)}", query


@pytest.mark.model
def test_a1_odd_queries_give_a_normal_answer(ways: Callable[[str], Ask], request: pytest.FixtureRequest) -> None:
    ask = ways("signs")
    typed = request.node.callspec.params["ways"] == "command line"
    for query in ODD:
        if typed and ("\0" in query or "\ud800" in query):
            continue  # no shell passes these on
        if request.node.callspec.params["ways"] == "mcp" and "\ud800" in query:
            continue  # nor does the client
        for mode in ("lexical",) if typed else ("hybrid", "lexical"):
            assert isinstance(ask(query, mode), list)


@pytest.mark.model
def test_a2_an_apostrophe_is_safe_in_every_mode(ways: Callable[[str], Ask]) -> None:
    ask = ways("apostrophe")
    for mode in ("lexical", "semantic", "hybrid"):
        assert ask("what's the desk's view?", mode)[0] == f"item:{item_id(1)}", mode
