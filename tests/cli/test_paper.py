"""``hybridkb paper``: what it prints, what it writes, what its exit code says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb.cli.exit_codes import EMBEDDER, FETCH, FINDINGS, INVALID, NOT_FOUND
from hybridkb.cli.root import cli
from hybridkb.papers.pace import ARXIV_PACE
from support.arxiv_server import ArxivServer
from support.pdf_layout import make_pdf
from support.scripted_model import ScriptedModel, refuse

TEXT = "The curve pays for waiting, and a holder of the front contract sells it before it ends and buys the next. " * 5
PDF = make_pdf(
    f"% title: Roll Yield\n# Roll Yield\n## 1 Carry\n{TEXT}\n## 2 Risk\n{TEXT}\n--- page\n## 3 Results\n{TEXT}\n"
)


class Shell:
    """Commands on one library, with a paper beside it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.paper = place / "roll.pdf"
        self.paper.write_bytes(PDF)

    def __call__(self, *arguments: str | Path, expect: int = 0) -> Result:
        options = ["--database", str(self.place / "papers.db"), "--embedder", "none"]
        result = CliRunner().invoke(cli, [*options, *map(str, arguments)])
        assert result.exit_code == expect, result.output
        assert "Traceback" not in result.output
        return result

    def json(self, *arguments: str | Path, expect: int = 0) -> Any:
        return json.loads(self("--json", *arguments, expect=expect).stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_file_becomes_a_paper_that_is_found_and_shown(shell: Shell) -> None:
    told = ("--published-at", "2024-03-01", "--tag", "curves")
    output = shell("paper", "add", shell.paper, "--no-summary", *told).output
    assert "Roll Yield" in output
    assert "none, as asked for" in output
    assert "source added, chunk set added, tree added" in output
    found = shell("search", "results", "--artifact-kind", "paper_chunk_set", "--tag", "curves").output
    assert "page 2" in found
    shown = shell("paper", "show", shell.json("search", "results")["hits"][0]["locator"], "--chunks").output
    assert "3 Results" in shown
    assert "no summary" in shown
    assert "c0001" in shown


def test_papers_are_listed_by_their_current_passages(shell: Shell) -> None:
    assert "no papers" in shell("init").output + shell("paper", "list").output
    for characters in ("300", "600"):
        shell("paper", "add", shell.paper, "--no-summary", "--published-at", "2024-03-01", "--characters", characters)
    listed = shell.json("paper", "list")
    assert (listed["total"], [one["pages"] for one in listed["papers"]]) == (1, [2])
    assert "Roll Yield" in shell("paper", "list").output


def test_the_same_again_changes_nothing(shell: Shell) -> None:
    arguments = ("paper", "add", shell.paper, "--no-summary", "--published-at", "2024-03-01")
    shell(*arguments)
    assert "nothing changed" in shell(*arguments).output
    assert shell.json(*arguments)["report"]["records"] == 0


def test_a_summary_is_shown_with_its_citations(shell: Shell) -> None:
    with ScriptedModel() as model:
        made = shell.json("paper", "add", shell.paper, "--model", "scripted", "--base-url", model.url)
    assert made["summary"]["cited"]
    shown = shell("paper", "show", made["source_id"]).output
    assert "summary by scripted" in shown
    assert f"#{made['summary']['cited'][0]['chunk_id']}" in shown
    facts = shell.json("paper", "show", made["source_id"])
    assert [one["kind"] for one in facts["artifacts"]] == ["paper_chunk_set", "paper_summary", "paper_tree"]
    assert facts["summary"]["text"] == made["summary"]["text"]
    assert [page["state"] for page in facts["source"]["pages"]] == ["text", "text"]
    assert facts["chunks"][0]["pages"] == [1]


def test_a_summary_that_fails_stores_nothing(shell: Shell) -> None:
    with ScriptedModel() as model:
        model.script(refuse(401, "no"))
        shell("paper", "add", shell.paper, "--model", "scripted", "--base-url", model.url, expect=EMBEDDER)
    assert shell.json("stats")["items"] == 0


def test_without_a_key_nothing_begins(shell: Shell) -> None:
    assert "--no-summary" in shell("paper", "add", shell.paper, expect=INVALID).output


def test_a_paper_of_arxiv_is_fetched(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ARXIV_PACE, "seconds", 0.0)
    with ArxivServer(pdf=PDF) as server:
        made = shell.json("paper", "add", "arXiv:1706.03762", "--no-summary", "--arxiv-url", server.url)
        gone = server.url
    assert made["arxiv_id"] == "1706.03762v3"
    assert made["availability_basis"] == "published"
    assert shell.json("paper", "show", "1706.03762")["source"]["arxiv_id"] == "1706.03762v3"
    monkeypatch.setattr("hybridkb.papers.pace.time.sleep", lambda _: None)
    shell("paper", "add", "1706.03762", "--no-summary", "--arxiv-url", gone, expect=FETCH)


@pytest.mark.parametrize("source", ["no-such.pdf", "arXiv:17.3", "https://example.com/a.pdf"])
def test_what_is_no_paper_is_an_exit_code(shell: Shell, source: str) -> None:
    shell("paper", "add", source, "--no-summary", expect=INVALID)


def test_the_page_of_a_passage_is_drawn(shell: Shell) -> None:
    shell("paper", "add", shell.paper, "--no-summary")
    hit = shell.json("search", "results", "--artifact-kind", "paper_chunk_set")["hits"][0]
    facts = shell.json("paper", "page", hit["locator"], "--png", shell.place / "out.png")
    assert (facts["page"], facts["shows"]) == (hit["page"], f"passage {hit['member_id']}")
    assert facts["boxes"]
    assert (shell.place / "out.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in shell.place.glob("*.png*")) == ["out.png"]
    output = shell("paper", "page", hit["locator"], "--png", shell.place / "out.png").output
    assert "Roll Yield" in output
    shell("paper", "page", hit["locator"] + "9", "--png", shell.place / "none.png", expect=NOT_FOUND)
    assert not (shell.place / "none.png").exists()


def test_a_sibling_is_made_current_and_back(shell: Shell) -> None:
    first = shell.json("paper", "add", shell.paper, "--no-summary", "--published-at", "2024-03-01")
    shell("paper", "add", shell.paper, "--no-summary", "--published-at", "2024-03-01", "--characters", "300")
    sets = {
        one["current"]: one["artifact_id"]
        for one in shell.json("paper", "show", first["source_id"])["artifacts"] if one["kind"] == "paper_chunk_set"
    }  # fmt: skip
    assert sets.keys() == {True, False}
    assert "what searches see now" in shell("paper", "current", sets[False]).output
    hits = shell.json("search", "curve", "--artifact-kind", "paper_chunk_set")["hits"]
    assert {hit["artifact_id"] for hit in hits} == {sets[False]}
    shell("paper", "current", f"artifact:{first['source_id']}", expect=NOT_FOUND)


def test_text_of_a_paper_commands_no_terminal(shell: Shell) -> None:
    shell("paper", "add", shell.paper, "--no-summary", "--title", "Roll\x9b2JYield", expect=0)
    shown = shell("paper", "show", shell.json("search", "results")["hits"][0]["locator"]).output
    assert "\x9b" not in shown


@pytest.mark.parametrize("name", ["evil\x1b[31m.pdf", "evil\x9b2J.pdf", "evil\r\n\x07.pdf"])
def test_names_in_errors_command_no_terminal(shell: Shell, name: str) -> None:
    (shell.place / name).write_bytes(b"no paper")
    output = shell("paper", "add", shell.place / name, "--no-summary", expect=INVALID).output
    assert "is not a PDF" in output
    assert not set("\x1b\x9b\x07\r") & set(output)


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such.pdf", "--no-summary"],
        [".", "--no-summary"],
        ["arXiv:17.3", "--no-summary"],
        ["1706.03762", "--no-summary", "--arxiv-url", "nonsense"],
        ["1706.03762", "--no-summary", "--arxiv-url", "file:///etc"],
        ["1706.03762", "--no-summary", "--arxiv-url", ""],
        ["1706.03762"],
        ["1706.03762", "--no-summary", "--characters", "3"],
    ],
)
def test_what_cannot_begin_makes_no_library(
    shell: Shell, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HYBRIDKB_SUMMARY_KEY", "OPENAI_API_KEY", "HYBRIDKB_SUMMARY_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    shell("paper", "add", *arguments, expect=INVALID)
    assert [path.name for path in shell.place.iterdir()] == ["roll.pdf"]


def test_a_picture_takes_the_place_of_a_picture_alone(shell: Shell) -> None:
    shell("paper", "add", shell.paper, "--no-summary")
    locator = shell.json("search", "results", "--artifact-kind", "paper_chunk_set")["hits"][0]["locator"]
    place = shell.place
    (place / "link.png").symlink_to(shell.paper)
    (place / "dangling.png").symlink_to(place / "elsewhere")
    (place / "empty.png").touch()
    before = {path: path.read_bytes() for path in place.iterdir() if path.is_file()}
    for name in ("papers.db", "roll.pdf", "link.png", "dangling.png", "empty.png"):
        output = shell("paper", "page", locator, "--png", place / name, expect=INVALID).output
        assert "left as it is" in output
    assert "make it first" in shell("paper", "page", locator, "--png", place / "no" / "a.png", expect=INVALID).output
    assert "no file" in shell("paper", "page", locator, "--png", "", expect=INVALID).output
    shell("paper", "page", locator, "--png", "/dev/null", expect=INVALID)
    after = {path: path.read_bytes() for path in place.iterdir() if path.is_file() and path in before}
    assert after == before
    assert not (place / "elsewhere").exists()
    assert not list(place.glob(".hybridkb-*"))
    shell("paper", "page", locator, "--png", place / "a.png")
    shell("paper", "page", locator, "--png", place / "a.png", "--scale", "1")


def test_what_the_library_holds_is_printed_not_what_this_run_would_have_made(shell: Shell) -> None:
    first = shell.json("paper", "add", shell.paper, "--no-summary", "--published-at", "2024-03-01")
    again = shell.json("paper", "add", shell.paper, "--no-summary")
    assert again["report"]["effect"] == "unchanged"
    assert (again["available_at"], again["availability_basis"]) == (first["available_at"], "published")


def test_a_paper_that_stays_withdrawn_says_so(shell: Shell) -> None:
    told = ("paper", "add", shell.paper, "--no-summary", "--published-at", "2024-03-01")
    shell("delete", shell.json(*told)["source_id"])
    assert "still, so searches do not find it" in shell(*told).output
    assert "no papers" in shell("paper", "list").output


def test_advice_names_the_option_as_it_is_written(shell: Shell) -> None:
    shell("paper", "add", shell.paper, "--no-summary")
    output = shell("search", "results", "--artifact-kind", "paper_summary", expect=FINDINGS).output
    assert "try: leave out --artifact-kind: " in output
    early = shell("search", "results", "--available-before", "1999-01-01", expect=FINDINGS).output
    assert "\nnothing is visible" in early
    assert "try: a later --available-before" in early
