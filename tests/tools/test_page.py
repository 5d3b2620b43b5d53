"""The settings on the page for a trading desk are what the command takes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from hybridkb.cli.mcp import mcp
from hybridkb.cli.root import cli
from hybridkb.tools import __all__ as names

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "trading-desk.md").read_text(encoding="utf-8")
GLOBAL = {"--database", "-d"}


def options(words: list[str]) -> set[str]:
    return {word for word in words if word.startswith("-")}


def known() -> set[str]:
    return GLOBAL | {flag for parameter in mcp.params for flag in parameter.opts}


def test_client_settings_are_json_that_starts_the_server() -> None:
    settings = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    assert len(settings) == 3
    servers = [server for one in settings for group in one.values() for server in group.values()]
    started = [server["args"] for server in servers if "args" in server]
    assert len(started) == 2
    for arguments in started:
        assert arguments[0] == "mcp"
        assert options(arguments) <= known()


def test_commands_name_options_that_exist() -> None:
    commands = re.findall(r"^hybridkb mcp .*$", PAGE, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        assert options(shlex.split(command, comments=True)) <= known(), command


def test_every_tool_is_on_the_page() -> None:
    assert not [name for name in names if f"`{name}" not in PAGE]


def test_help_names_every_tool() -> None:
    text = CliRunner().invoke(cli, ["mcp", "--help"]).output
    assert all(name in text for name in ("search_knowledge", "get_knowledge", "list_sources", "knowledge_status"))
