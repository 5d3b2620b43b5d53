"""The server inside this process: progress of slow calls, cancelling them, and names that documents choose."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from mcp import Client, MCPError

from hybridkb import HybridLibrary
from hybridkb.knowledge import Filing, Provenance, SourceRef, TreeNode
from hybridkb.tools import mcp_server
from hybridkb.tools.catalog import registry
from hybridkb.tools.desk import Desk, make_desk
from hybridkb.tools.mcp_server import McpTools
from hybridkb.tools.registry import Tool
from oracles.items import EPOCH, item_id

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def serve(library: HybridLibrary, *tools: Tool) -> McpTools:
    found = registry()
    for tool in tools:
        found.add(tool)
    return McpTools(make_desk(library), found)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_slow_call_reports_progress_and_can_be_cancelled(
    desk: HybridLibrary, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(mcp_server, "PROGRESS_SECONDS", 0.01)
    hold = threading.Event()
    told: list[str | None] = []

    def slow(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        hold.wait(60)
        return {"done": True}

    tools = serve(desk, Tool("slow", "Slow", "Takes its time.", (), slow))

    async def work() -> None:
        enough = asyncio.Event()

        async def note(done: float, total: float | None, message: str | None) -> None:
            told.append(message)
            if len(told) > 2:
                enough.set()

        async with Client(tools.server(), mode=mode) as client:
            call = asyncio.ensure_future(client.call_tool("slow", {}, progress_callback=note))
            await asyncio.wait_for(enough.wait(), 30)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            answer = await client.call_tool("search_knowledge", {"query": "wheat", "limit": 1})
            assert answer.structured_content["count"] == 1
            assert tools.busy
            hold.set()

    asyncio.run(work())
    assert told[0] == "slow still runs"


def test_write_mode_serves_tools_that_write(desk: HybridLibrary) -> None:
    def change(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"changed": True}

    found = registry()
    found.add(Tool("change", "Change", "Writes.", (), change, writes=True))

    async def work(allow_write: bool) -> tuple[bool | None, bool]:
        async with Client(McpTools(make_desk(desk), found, allow_write=allow_write).server()) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            served = tools["change"].annotations.read_only_hint if "change" in tools else None
            if not allow_write:
                with pytest.raises(MCPError, match="started read-only"):
                    await client.call_tool("change", {})
                return served, False
            answer = await client.call_tool("change", {})
            return served, bool(answer.structured_content["changed"])

    assert asyncio.run(work(True)) == (False, True)
    assert asyncio.run(work(False)) == (None, False)


def test_names_that_documents_choose_command_nobody(library: HybridLibrary) -> None:
    """Types, tags, headings, parts and addresses may be a hostile document's own."""
    evil = "x\u202e\x9b31m\U000e0041"
    nodes = {
        "root": TreeNode(node_id="root", title="copper"),
        evil: TreeNode(node_id=evil, parent_id="root", title=evil, content="copper ore"),
    }
    library.put(
        Filing(
            id=item_id("evil"), title=f"copper {evil}", root_node_id="root", nodes=nodes, as_of=EPOCH,
            available_at=EPOCH, created_at=EPOCH, tags=(evil,), ticker=evil, disclaimers=(evil,),
            source=SourceRef(kind="local", uri=f"{evil}/{evil}.md"),
            provenance=Provenance("scout", kind=evil, verdict=evil, link=f"https://x.example/{evil}"),
        )
    )  # fmt: skip
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_knowledge", {"query": "copper ore"}),
        ("search_knowledge", {"query": "copper", "tags": ["x"], "tickers": ["x"], "path_prefix": "x", "kinds": ["x"]}),
        ("get_knowledge", {"locator": f"item:{item_id('evil')}", "after": 3}),
        *(("list_sources", {"by": by}) for by in ("documents", "tags", "tickers", "folders", "kinds", "verdicts")),
        ("knowledge_status", {}),
    ]

    async def work() -> list[str]:
        async with Client(serve(library).server()) as client:
            found = [await client.call_tool(name, arguments) for name, arguments in calls]
            described = [tool.model_dump(mode="json") for tool in (await client.list_tools()).tools]
        assert not any(one.is_error for one in found)
        return [*(one.content[0].text for one in found), json.dumps(described, ensure_ascii=False)]

    for text in asyncio.run(work()):
        assert not HIDDEN.search(text), text
        assert "copper" in text or "x" in text
