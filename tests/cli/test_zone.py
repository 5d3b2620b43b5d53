"""A day alone is read in the library's own time zone, towards seeing less."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli import exit_codes
from hybridkb.cli.root import cli
from hybridkb.errors import InvalidInput
from hybridkb.store.settings import LibrarySettings
from oracles.items import note

MIDNIGHT = datetime(2024, 1, 15, 5, tzinfo=UTC)  # the first instant of 15 January in New York


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    return done.exit_code, done.output


def found(database: Path, *position: str) -> list[str]:
    """What a cutoff of 15 January shows; the database is named where ``position`` says."""
    named = ["--database", str(database)]
    before, after = (named, []) if position == ("before",) else ([], named)
    options = ["--json", "--embedder", "none"]
    _, output = run(*before, *options, "search", "copper", "--available-before", "2024-01-15", *after)
    return sorted(hit["title"] for hit in json.loads(output)["hits"])


@pytest.mark.parametrize("position", ["before", "after"])
def test_a_day_is_the_library_s_own(tmp_path: Path, position: str) -> None:
    for zone, titles in (("America/New_York", ["eve", "first"]), ("UTC", [])):
        database = tmp_path / f"{zone.replace('/', '-')}.db"
        assert run("-d", database, "init", "--zone", zone)[0] == 0
        with HybridLibrary.open(database, embedder=None) as library:
            assert library.settings.zone == zone
            for name, moment in (("eve", -1), ("first", 0), ("late", 1)):
                at = MIDNIGHT + timedelta(microseconds=moment)
                library.put(note(name, "copper", title=name, available_at=at))
        assert found(database, position) == titles


def test_a_corpus_is_dated_in_the_library_s_zone(tmp_path: Path) -> None:
    database, corpus = tmp_path / "desk.db", tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps({"_id": "a", "title": "Copper", "text": "Ore.", "metadata": {"date": "2024-01-14"}}))
    assert run("-d", database, "init", "--zone", "America/New_York")[0] == 0
    assert run("-d", database, "--embedder", "none", "add", corpus, "--format", "beir")[0] == 0
    with HybridLibrary.open(database, embedder=None) as library:
        (hit,) = library.search("copper", collapse="item")
        assert hit.available_at == MIDNIGHT - timedelta(microseconds=1)


def test_zones_that_cannot_be_are_refused(tmp_path: Path) -> None:
    database = tmp_path / "desk.db"
    assert run("-d", database, "init", "--zone", "Mars/Olympus")[0] == exit_codes.INVALID
    with pytest.raises(InvalidInput, match="Mars/Olympus"):
        HybridLibrary.open(database, embedder=None, settings=LibrarySettings(zone="Mars/Olympus"))
    assert not database.exists()
    assert run("-d", database, "init")[0] == 0
    assert run("-d", database, "init", "--zone", "Asia/Tokyo")[0] == exit_codes.INVALID
