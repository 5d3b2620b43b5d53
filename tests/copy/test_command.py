"""``hybridkb copy``: what it prints, and what its exit code says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import hybridkb.copying
from hybridkb import HybridLibrary
from hybridkb.cli import exit_codes
from hybridkb.cli.root import cli
from oracles.items import note


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with HybridLibrary.open(tmp_path / "source.db", embedder=None) as library:
        library.put_many([note(number, f"copper {number}") for number in range(3)])
    return tmp_path / "source.db"


def run(*arguments: object, expect: int = exit_codes.OK) -> Result:
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    assert result.exit_code == expect, result.output
    assert "Traceback" not in result.output
    return result


def test_it_says_what_was_copied(source: Path, tmp_path: Path) -> None:
    text = run("copy", source, tmp_path / "target.db").stdout
    assert f"{source} is copied to {tmp_path / 'target.db'}; every table was read back and compared" in text
    assert "items      3" in text


@pytest.mark.parametrize("place", ["before", "behind"])
def test_json_holds_every_table_with_its_digest(source: Path, postgres: Callable[[], str], place: str) -> None:
    address = postgres()
    arguments = ["copy", source, address]
    given = ["--json", *arguments] if place == "before" else [*arguments, "--json"]
    told = json.loads(run(*given).stdout)
    assert told["tables"]["item"] == 3
    assert len(told["digests"]["item"]) == 32
    assert (told["source"], told["resumed"]) == (str(source), False)


@pytest.mark.parametrize("place", ["before", "behind"])
def test_a_library_in_the_target_is_told_as_wrong_input(source: Path, tmp_path: Path, place: str) -> None:
    run("copy", source, tmp_path / "target.db")
    arguments = ["copy", source, tmp_path / "target.db"]
    given = ["--json", *arguments] if place == "before" else [*arguments, "--json"]
    error = json.loads(run(*given, expect=exit_codes.INVALID).stderr)
    assert (error["error"], error["field"]) == ("InvalidInput", "target")


def test_interrupted_it_goes_on_and_until_then_the_target_says_so(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = hybridkb.copying.copying.follow

    def interrupted(connection: object, table: object, *rest: object) -> None:
        if getattr(table, "name", "") == "record_text":
            raise KeyboardInterrupt
        real(connection, table, *rest)  # type: ignore[arg-type]

    target = tmp_path / "target.db"
    with monkeypatch.context() as patch:
        patch.setattr(hybridkb.copying.copying, "follow", interrupted)
        assert "interrupted; what was committed stays" in run("copy", source, target, expect=130).stderr
    told = run("--database", target, "stats", expect=exit_codes.DATABASE).stderr
    assert "unfinished copy of" in told
    assert "hybridkb copy FROM TO" in told
    assert "going on where an earlier run ended" in run("copy", source, target).stdout


def test_restart_throws_only_an_unfinished_copy_away(source: Path, tmp_path: Path) -> None:
    run("copy", source, tmp_path / "target.db")
    run("copy", "--restart", source, tmp_path / "target.db", expect=exit_codes.INVALID)


def test_a_wrong_address_is_one_line(source: Path) -> None:
    pytest.importorskip("psycopg_pool")
    told = run("copy", source, "postgresql://desk:geheim@127.0.0.1:1/x?connect_timeout=2", expect=exit_codes.DATABASE)
    assert told.stderr.count("\n") == 1
    assert "geheim" not in told.output
