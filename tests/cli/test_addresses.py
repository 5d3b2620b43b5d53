"""Every command takes the address of a library on a server where it takes a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb import KnowledgeBase
from hybridkb.cli.exit_codes import DATABASE, INVALID
from hybridkb.cli.root import cli
from hybridkb.cli.sync import _belongs_to
from hybridkb.database import is_address
from hybridkb.database.postgres_address import read_address
from hybridkb.tools import knowledge_status, search_knowledge

NOTES = Path(__file__).resolve().parents[2] / "examples" / "items" / "notes.jsonl"


class Shell:
    """Commands on one address."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __call__(self, *arguments: str | Path, expect: int = 0, **environment: str) -> Result:
        options = [] if environment else ["--database", self.address]
        result = CliRunner().invoke(cli, [*options, "--embedder", "none", *map(str, arguments)], env=environment)
        assert result.exit_code == expect, result.output
        assert "Traceback" not in result.output
        return result

    def facts(self, *arguments: str | Path, expect: int = 0) -> Any:
        return json.loads(self("--json", *arguments, expect=expect).stdout)


@pytest.fixture
def shell(postgres: Callable[[], str]) -> Shell:
    return Shell(postgres())


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell("add", NOTES)
    return shell


def test_a_library_is_made_filled_and_searched(shell: Shell) -> None:
    assert f"{shell.address}: ready" in shell("init", "--zone", "Asia/Tokyo").output.replace("%2F", "/")
    added = shell.facts("add", NOTES)
    assert added["added"] == 12
    hit = shell.facts("search", "copper supply gap")["hits"][0]
    assert hit["title"].startswith("Copper supply gap")
    assert shell.facts("get", hit["item_id"])["title"] == hit["title"]
    assert len(shell.facts("history", hit["item_id"])) == 1


def test_the_address_may_stand_in_the_environment(filled: Shell) -> None:
    shown = filled("--json", "stats", HYBRIDKB_DATABASE=filled.address)
    assert json.loads(shown.stdout)["items"] == 12


@pytest.mark.parametrize("command", ["stats", "audit", "check", "rebuild", "compact", "runs"])
def test_commands_of_upkeep_answer(filled: Shell, command: str) -> None:
    filled(command)


def test_a_day_alone_is_read_in_the_zone_of_the_library(shell: Shell) -> None:
    shell("init", "--zone", "Asia/Tokyo")
    shell("add", NOTES)
    shown = shell.facts("search", "wheat", "--available-before", "2024-03-05")
    assert shown["cutoff"] == "2024-03-04T15:00:00+00:00"


def test_an_export_goes_into_another_namespace(filled: Shell, postgres: Callable[[], str], tmp_path: Path) -> None:
    filled("export", "--output", tmp_path / "all.jsonl")
    other = Shell(postgres())
    other("add", tmp_path / "all.jsonl")
    other("export", "--output", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "all.jsonl").read_bytes()


def test_a_folder_is_kept_in_step(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "margin.md").write_text("# Margin\n\nTwelve percent.\n")
    assert shell.facts("sync", folder)["indexed"] == 1
    assert shell.facts("sync", folder)["unchanged"] == 1


def test_a_folder_that_is_gone_is_told_and_removes_nothing(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "margin.md").write_text("# Margin\n\nTwelve percent.\n")
    shell("sync", folder)
    folder.rename(tmp_path / "elsewhere")
    assert shell.facts("sync", folder, expect=INVALID)["folder_missing"]
    assert shell.facts("search", "margin")["hits"]


def test_a_slip_of_the_pen_makes_no_library(shell: Shell, tmp_path: Path) -> None:
    shell("sync", tmp_path / "no folder", expect=DATABASE)
    assert "there is no library" in shell("stats", expect=DATABASE).output


def test_only_a_file_has_files_of_its_own(tmp_path: Path) -> None:
    own = str(tmp_path / "desk.db")
    assert _belongs_to(own, own + "-wal")
    assert not _belongs_to(None, own + "-wal")


def test_a_candidate_is_built_searched_promoted_and_discarded(filled: Shell, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    titles = [hit["title"] for hit in filled.facts("search", "copper", "--top-k", "3")["hits"]]
    items = {hit["title"]: hit["item_id"] for hit in filled.facts("search", "copper", "--top-k", "3")["hits"]}
    gold.write_text("".join(json.dumps({"query": one, "relevant": [items[one]]}) + "\n" for one in titles))
    filled("evaluate", gold, "-k", "1")
    filled("promote", "--baseline")
    built = filled.facts("reindex", gold, "-k", "1", "--ranking", "k1=1.0")
    assert "_candidate" in built["candidate"]
    other = Shell(f"{filled.address.partition('&pool')[0]}_candidate")
    assert other.facts("search", titles[0])["hits"][0]["title"] == titles[0]
    assert "serves: other ranking settings" in filled("promote").output
    other("stats", expect=DATABASE)
    filled("reindex", gold, "-k", "1", "--language", "none")
    assert filled.facts("reindex", "--discard") == {"discarded": True}
    assert filled("reindex", "--discard").output == "there is no candidate\n"
    assert not Path("postgresql:").exists()


def test_what_an_address_hides_is_never_shown(shell: Shell) -> None:
    hidden = Shell("postgresql://desk:secret-word@127.0.0.1:1/research")
    told = hidden("stats", expect=DATABASE).output
    assert "secret-word" not in told
    assert "127.0.0.1:1/research" in told


@pytest.mark.parametrize(
    "written", ["postgresql:///research", "postgresql:///research?schema=desk&pool=8", "postgres://desk@host:5/research"]
)
def test_an_address_is_shown_as_it_was_written(written: str) -> None:
    assert read_address(written).shown == written
    assert is_address(read_address(written).shown)


def test_what_libpq_does_not_know_in_an_address_is_told() -> None:
    told = Shell("postgresql://127.0.0.1:1/research?skema=desk")("stats", expect=INVALID).output
    assert "the address cannot be read" in told
    assert '"skema"' in told


def test_a_folder_that_is_always_current_may_be_kept_on_a_server(postgres: Callable[[], str], tmp_path: Path) -> None:
    (tmp_path / "margin.md").write_text("# Margin\n\nTwelve percent.\n")
    with KnowledgeBase(tmp_path, postgres(), embedder=None) as knowledge:
        assert [hit.path for hit in knowledge.search("margin")] == ["margin.md"]
        (tmp_path / "roll.md").write_text("# Roll\n\nThe yield of a roll.\n")
        assert [hit.path for hit in knowledge.search("yield of a roll")] == ["roll.md"]


def test_the_tools_of_agents_ask_an_address(filled: Shell) -> None:
    found = search_knowledge(filled.address, "copper supply gap")
    assert found["hits"][0]["title"].startswith("Copper supply gap")
    assert knowledge_status(filled.address)["items"] == 12
