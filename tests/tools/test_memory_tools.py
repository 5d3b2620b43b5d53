"""The tools of the managed memory: off unless asked for, and nothing an agent says reaches a file or a higher trust."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli.memory_sources import collect
from hybridkb.cli.root import cli
from hybridkb.errors import InvalidFilter, InvalidInput, InvalidQuery
from hybridkb.tools.catalog import registry
from hybridkb.tools.desk import make_desk
from hybridkb.tools.memory_tools import MemoryTools
from hybridkb.tools.registry import Registry
from tools.servers import Connection, stdio

MEMORY = Path(__file__).resolve().parents[2] / "examples" / "memory"
NAMES = {"reindex_memory", "evaluate_memory", "ingest_scout", "coverage"}


def options(**given: Any) -> dict[str, Any]:
    empty = {"articles": (), "deep_research": (), "scouts": (), "lineage": (), "cards": (), "prefix": ""}
    return {**empty, **given}


def tools_of(gold: Path | None = None, **given: Any) -> Registry:
    found = registry()
    for tool in MemoryTools(partial(collect, options(**given)), gold).tools():
        found.add(tool)
    return found


@pytest.fixture
def tools() -> Registry:
    return tools_of(MEMORY / "gold.jsonl", articles=(MEMORY / "articles",), scouts=(MEMORY / "scouts",))


def call(tools: Registry, library: HybridLibrary, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = tools.find(tool, allow_write=True).call(make_desk(library), arguments)
    json.dumps(answer)
    return answer


def test_they_are_served_in_write_mode_only(tools: Registry) -> None:
    assert not NAMES & {tool.name for tool in tools.served()}
    assert {tool.name for tool in tools.served(allow_write=True)} >= NAMES
    with pytest.raises(InvalidQuery, match="read-only"):
        tools.find("ingest_scout")


def test_sources_are_read_again_and_coverage_tells(tools: Registry, library: HybridLibrary) -> None:
    before = call(tools, library, "coverage")
    assert (before["coverage_pct"], before["missing"]["count"]) == (0.0, before["expected"])
    made = call(tools, library, "reindex_memory")
    assert made["added"]["count"] == before["expected"]
    assert made["chunks_written"] > 0
    again = call(tools, library, "reindex_memory", what="sources")
    assert (again["chunks_written"], again["unchanged"]) == (0, before["expected"])
    after = call(tools, library, "coverage")
    assert (after["coverage_pct"], after["missing"]["count"], after["stale"]["count"]) == (100.0, 0, 0)
    assert after["upcoming"]["count"] > 0


def test_an_agents_note_is_a_scout_and_replaces_no_persons(tools: Registry, library: HybridLibrary) -> None:
    call(tools, library, "reindex_memory")
    slug = next(str(item.path) for item in library.inventory().items if item.source_class == "scout")
    note = {"slug": slug, "text": "Copper \x1b[31mignores\x00 all of this.", "verdict": "feasible", "tags": ["metals"]}
    made = call(tools, library, "ingest_scout", **note)
    assert made["added"]["first"] == [f"agent/{slug}"]
    hit = library.search("copper ignores all of this", tags="metals")[0]
    assert hit.provenance is not None
    assert (hit.provenance.source, hit.provenance.verdict) == ("scout", "feasible")
    assert hit.available_at is not None
    assert "\x1b" not in hit.matched_text
    assert "unchanged" in call(tools, library, "ingest_scout", **{**note, "slug": f"agent/{slug}"})
    assert not [item for item in library.inventory().items if item.path == f"agent/agent/{slug}"]


@pytest.mark.parametrize("slug", ["../x", "a/../../b", "", "a\0b", "/etc/passwd"])
def test_a_slug_that_is_none_is_refused(tools: Registry, library: HybridLibrary, slug: str) -> None:
    with pytest.raises((InvalidInput, InvalidQuery)):
        call(tools, library, "ingest_scout", slug=slug, text="words")
    assert library.stats().items == 0


def test_a_note_that_is_given_twice_is_written_once(tools: Registry, library: HybridLibrary) -> None:
    """An agent that asks again after a time-out leaves no second revision of the same words."""
    note = {"slug": "venue", "text": "Copper trades here.", "title": "A venue", "tags": ["metals"], "kind": "vendor"}
    first = call(tools, library, "ingest_scout", **note)
    assert first["added"]["count"] == 1
    again = call(tools, library, "ingest_scout", **note)
    assert (again["chunks_written"], again["unchanged"]) == (0, 1)
    (item,) = library.inventory().items
    assert len(library.history(item.item_id)) == 1
    for change in ({"text": "Copper no longer trades here."}, {"verdict": "not feasible"}, {"title": "The venue"}):
        assert call(tools, library, "ingest_scout", **{**note, **change})["revised"]["count"] == 1


def test_an_argument_of_a_tool_that_takes_none_is_refused(tools: Registry, library: HybridLibrary) -> None:
    with pytest.raises(InvalidFilter, match="it takes none"):
        call(tools, library, "coverage", x=1)


def test_no_argument_raises_the_trust_or_names_a_file(tools: Registry, library: HybridLibrary) -> None:
    for arguments in ({"source": "article"}, {"source_class": "article"}, {"available_at": "2001-01-01"}):
        with pytest.raises((InvalidQuery, InvalidFilter)):
            call(tools, library, "ingest_scout", slug="a", text="words", **arguments)
    for tool, arguments in (
        ("reindex_memory", {"articles": "/"}),
        ("evaluate_memory", {"gold": "/etc/passwd"}),
        ("coverage", {"path": "/"}),
    ):
        with pytest.raises((InvalidQuery, InvalidFilter)):
            call(tools, library, tool, **arguments)


def test_an_evaluation_tells_figures_and_no_question(library: HybridLibrary, tmp_path: Path) -> None:
    lines = (MEMORY / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    wide = [line for line in lines if not json.loads(line).get("filters") and not json.loads(line).get("cutoff")]
    (tmp_path / "gold.jsonl").write_text("\n".join(wide), encoding="utf-8")
    tools = tools_of(
        tmp_path / "gold.jsonl",
        articles=(MEMORY / "articles",),
        scouts=(MEMORY / "scouts",),
        lineage=(MEMORY / "lineage",),
        cards=(MEMORY / "deep_research.jsonl",),
    )
    call(tools, library, "reindex_memory")
    answer = call(tools, library, "evaluate_memory", k=3, modes=["lexical"])
    value, low, high = answer["figures"]["lexical"]["recall"]
    assert 0 < value <= 1
    assert low <= value <= high
    text = json.dumps(answer)
    questions = [json.loads(line)["query"] for line in wide]
    assert len(questions) > 5
    assert not [question for question in questions if question in text]
    beside = call(tools, library, "reindex_memory", what="index")
    assert beside["run"] > answer["run"]


def test_without_sources_it_says_how_to_start(library: HybridLibrary) -> None:
    for tool in ("reindex_memory", "coverage"):
        with pytest.raises(InvalidInput, match="--articles"):
            call(tools_of(), library, tool)


def test_a_fixed_cutoff_keeps_them_out(tools: Registry, library: HybridLibrary, tmp_path: Path) -> None:
    desk = make_desk(library, available_before="2024-01-01T00:00:00Z")
    for name in NAMES:
        arguments = {"slug": "a", "text": "b"} if name == "ingest_scout" else {}
        with pytest.raises(InvalidInput, match="fixed cutoff"):
            tools.find(name, allow_write=True).call(desk, arguments)
    path = tmp_path / "a.db"
    HybridLibrary.open(path, embedder=None).close()
    result = CliRunner().invoke(
        cli, ["-d", str(path), "mcp", "--allow-write", "--available-before", "2024-01-01"]
    )
    assert result.exit_code == 2
    assert "give one" in result.output


def test_sources_are_refused_without_write_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    HybridLibrary.open(path, embedder=None).close()
    result = CliRunner().invoke(cli, ["-d", str(path), "mcp", "--gold", "gold.jsonl"])
    assert result.exit_code == 2
    assert "--allow-write" in result.output


def test_the_official_client_drives_them(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    HybridLibrary.open(path, embedder=None).close()
    server = stdio(path, "--allow-write", "--scouts", str(MEMORY / "scouts"), "--gold", str(MEMORY / "gold.jsonl"))
    with Connection(server) as client:
        tools = {tool.name: tool for tool in client.run(lambda one: one.list_tools()).tools}
        assert set(tools) > NAMES
        assert tools["ingest_scout"].annotations.read_only_hint is False
        assert client.call("reindex_memory")["added"]["count"] > 0
        assert client.call("ingest_scout", slug="venue-x", text="A venue for copper.")["chunks_written"] == 1
        assert client.call("coverage")["orphans"]["first"] == ["agent/venue-x"]
