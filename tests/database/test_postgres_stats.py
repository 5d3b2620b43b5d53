"""What a library says of the engine that keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psycopg
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from hybridkb.tools import knowledge_status


def test_stats_name_the_server_and_pgvector(postgres: Callable[[], str]) -> None:
    with HybridLibrary.open(postgres(), embedder=None) as library:
        stats = library.stats()
    assert (stats.engine, stats.sqlite, stats.sqlite_vec) == ("postgres", None, None)
    assert stats.postgres is not None
    assert stats.postgres.split(".")[0].isdigit()
    assert stats.pgvector is not None
    assert stats.file_bytes > 0


def test_stats_name_sqlite_and_sqlite_vec(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        stats = library.stats()
    assert (stats.engine, stats.postgres, stats.pgvector) == ("sqlite", None, None)
    assert stats.sqlite
    assert stats.sqlite_vec


def test_the_command_and_the_tool_name_the_server(postgres: Callable[[], str]) -> None:
    address = postgres()
    with HybridLibrary.open(address, embedder=None) as library:
        versions = knowledge_status(library)["versions"]
    assert {"postgres", "pgvector"} <= versions.keys()
    assert not {"sqlite", "sqlite_vec"} & versions.keys()
    shown = CliRunner().invoke(cli, ["--database", address, "stats"])
    assert shown.exit_code == 0, shown.output
    assert "pgvector" in shown.output
    assert "sqlite" not in shown.output
    told = CliRunner().invoke(cli, ["--json", "--database", address, "stats"])
    assert json.loads(told.output)["engine"] == "postgres"


def test_the_server_answers_what_stats_say(postgres: Callable[[], str]) -> None:
    address = postgres()
    with HybridLibrary.open(address, embedder=None) as library:
        stats = library.stats()
    with psycopg.connect(address.replace("schema=", "application_name=").replace("&pool=8", "")) as raw:
        assert str(raw.execute("SHOW server_version").fetchone()[0]).startswith(stats.postgres or "?")  # type: ignore[index]
