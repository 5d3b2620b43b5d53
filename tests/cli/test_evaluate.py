"""The operator's commands: evaluate, gold, reindex, promote, runs; for people and programs, with codes that tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb import HybridLibrary
from hybridkb.cli.exit_codes import DATABASE, FINDINGS, INVALID, NOT_FOUND, REFUSED
from hybridkb.cli.root import cli
from hybridkb.knowledge import stable_id
from oracles.items import item_id, note
from support.judged_library import documents, records
from support.raw_rows import job_lock

CONTROL = "\x1b[31mred\x1b[0m"


class Shell:
    """Runs commands on one library without a model."""

    def __init__(self, database: Path) -> None:
        self.database = database

    def __call__(self, *arguments: object, expect: int = 0, stdin: str | None = None) -> Result:
        options = ["--database", str(self.database), "--embedder", "none"]
        result = CliRunner().invoke(cli, [*options, *map(str, arguments)], input=stdin)
        assert result.exit_code == expect, result.output
        assert "Traceback" not in result.output
        return result

    def json(self, *arguments: object, expect: int = 0) -> Any:
        return json.loads(self("--json", *arguments, expect=expect).stdout)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in ("HYBRIDKB_DATABASE", "HYBRIDKB_GOLD_SET"):
        monkeypatch.delenv(name, raising=False)
    with HybridLibrary.open(tmp_path / "desk.db", embedder=None) as library:
        library.put_many(documents(40))
    return Shell(tmp_path / "desk.db")


def write(path: Path, entries: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write(tmp_path / "gold.jsonl", [{**one, "id": f"q{place}"} for place, one in enumerate(records(12))])


def test_a_full_round_with_codes_that_tell(shell: Shell, gold: Path) -> None:
    first = shell.json("evaluate", gold, "-k", "3")
    assert first["promote"] is None
    assert shell("promote", expect=REFUSED).stderr.startswith("hybridkb: not promoted")
    assert shell.json("promote", "--baseline", "--note", "first")["promoted"] is True
    assert shell.json("evaluate", gold, "-k", "3")["promote"] is True

    weights = ("whole_weight", "piece_weight", "stem_weight", "exact_weight", "all_words_bonus", "closeness_bonus")
    worse = [part for weight in weights for part in ("--ranking", f"{weight}=0")]
    built = shell.json("reindex", gold, "-k", "3", *worse, expect=FINDINGS)
    assert built["promote"] is False
    assert built["evaluation"]["gate"]["baseline"]["lost"]
    refused = shell.json("promote", "--gold", gold, expect=REFUSED)
    assert refused["promoted"] is False
    assert refused["report"]["gate"]["baseline"]["lost"][0]["query"]
    assert "lost: " in shell("promote", "--gold", gold, expect=REFUSED).stdout

    assert shell.json("reindex", "--discard") == {"discarded": True}
    done = shell.json("reindex", gold, "-k", "3", "--language", "none", "--promote")
    assert done["promotion"]["promoted"] is True
    assert shell.json("stats")["language"] == "none"
    kinds = [(run["kind"], run["target"], run["promote"]) for run in shell.json("runs")]
    assert kinds[:2] == [("evaluate", "candidate", True), ("reindex", "candidate", None)]
    assert len(shell.json("runs", "--promoted")) == 2


def test_people_get_tables(shell: Shell, gold: Path) -> None:
    said = shell("evaluate", gold, "-k", "3", "--queries").stdout
    for part in ("12 queries; k = 3", "recall@3", "lexical", "not asked: hybrid", "nothing to compare with", "run 1"):
        assert part in said
    assert records(12)[0]["query"] in said
    assert "evaluate  serving" in shell("runs").stdout
    assert "settings digest" in shell("runs", "--run", "1").stdout
    shell("promote", "--baseline")
    assert "the first baseline" not in shell("evaluate", gold, "-k", "3").stdout
    said = shell("reindex", gold, "-k", "3").stdout
    assert "rebuilt" in said
    assert "40 records made anew" in said
    assert "may be promoted" in said
    assert "is promoted and serves" in shell("promote").stdout


def test_recall_that_fell_is_code_one_and_names_what_was_lost(shell: Shell, gold: Path) -> None:
    shell("evaluate", gold, "-k", "3")
    shell("promote", "--baseline")
    shell("delete", item_id(0))
    said = shell("evaluate", gold, "-k", "3", "--absent-share", "0.2", expect=FINDINGS).stdout
    assert "absent, counted as missed" in said
    assert "lost: 1" in said
    assert str(item_id(0)) in said
    tolerant = shell.json("evaluate", gold, "-k", "3", "--absent-share", "0.2", "--tolerance", "0.2")
    assert tolerant["promote"] is True
    assert shell.json("evaluate", gold, "-k", "3", "--absent-share", "0.2", "--against", "1", "--no-record",
                      expect=FINDINGS)["against"]["lost"]  # fmt: skip


def test_wrong_input_is_told_in_one_line(shell: Shell, gold: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"query": "a"}\n')
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for arguments, code, part in (
        (("evaluate", tmp_path / "nowhere.jsonl"), INVALID, "there is no gold set"),
        (("evaluate", broken), INVALID, "line 1"),
        (("evaluate", gold, "-k", "500"), INVALID, "every ranking finds all"),
        (("evaluate", gold, "--against", "9"), INVALID, "no run 9"),
        (("reindex", gold, "--ranking", "k3=1"), INVALID, "no ranking setting 'k3'"),
        (("reindex", gold, "--ranking", "k1=high"), INVALID, "takes a float"),
        (("reindex", gold, "--language", "klingon"), INVALID, "klingon"),
        (("reindex", gold, "--model", "word2vec"), INVALID, "embedder must be"),
        (("runs", "--run", "9"), NOT_FOUND, "no run 9"),
        (("gold", "check", broken), INVALID, "line 1"),
        (("gold", "check", empty), INVALID, "nothing to check"),
    ):
        said = shell(*arguments, expect=code).stderr
        assert part in said, arguments
        assert len(said.splitlines()) == 1
    error = json.loads(shell("--json", "evaluate", broken, expect=INVALID).stderr)
    assert (error["error"], error["place"]) == ("UnreadableDocument", 1)


def test_a_job_at_work_is_told(shell: Shell, gold: Path) -> None:
    with job_lock(shell.database, "reindex", wait_seconds=0):
        assert "another thread or process" in shell("reindex", gold, "-k", "3", expect=DATABASE).stderr


def test_the_environment_names_the_gold_set(shell: Shell, gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDKB_GOLD_SET", str(gold))
    assert shell.json("evaluate", "-k", "3")["queries"] == 12


def test_the_packaged_gold_set_judges_the_example_items(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "desk.db")
    shell("add", *sorted((Path(__file__).parents[2] / "examples" / "items").glob("*.jsonl")))
    report = shell.json("evaluate")
    assert report["absent"] == []
    assert report["figures"]["lexical"]["recall"]["value"] > 0.8
    states = shell.json("gold", "check")["states"]
    assert set(states) == {"good"}, "stamp it again: hybridkb gold stamp hybridkb/evaluation/desk-gold.jsonl"


def test_filters_narrow_every_query(shell: Shell, gold: Path) -> None:
    said = shell("evaluate", gold, "-k", "3", "--type", "filing", expect=INVALID).stderr
    assert "cannot be found" in said
    assert shell.json("evaluate", gold, "-k", "3", "--type", "note")["promote"] is None


def test_gold_sets_are_stamped_checked_and_proposed(shell: Shell, gold: Path, tmp_path: Path) -> None:
    assert shell.json("gold", "check", gold)["states"] == {"unstamped": 12}
    assert shell.json("gold", "stamp", gold)["stamped"] == 12
    assert shell.json("gold", "check", gold)["states"] == {"good": 12}
    with HybridLibrary.open(shell.database, embedder=None) as library:
        library.put(note(2, f"edited {CONTROL}"))
        library.delete(item_id(4))
    report = shell.json("gold", "check", gold, expect=FINDINGS)
    assert report["states"] == {"good": 10, "changed": 1, "gone": 1}
    said = shell("gold", "check", gold, expect=FINDINGS).stdout
    assert "was withdrawn" in said
    assert "\x1b" not in said
    shell("gold", "stamp", gold, "-o", tmp_path / "stamped.jsonl", expect=FINDINGS)

    queries = tmp_path / "queries.txt"
    queries.write_text('word1 word2\n\n{"query": "word3", "cutoff": "2024-06-01"}\n')
    lines = [json.loads(line) for line in shell("gold", "propose", queries, "--per-mode", "3").stdout.splitlines()]
    assert [line["query"] for line in lines] == ["word1 word2", "word3"]
    assert lines[1]["cutoff"] == "2024-06-01"
    assert [one["judgement"] for one in lines[0]["candidates"]] == [None] * 3
    proposed = tmp_path / "proposed.jsonl"
    shell("gold", "propose", "-", "-o", proposed, "--documents", stdin="word1\n")
    assert "not judged yet" in shell("evaluate", proposed, expect=INVALID).stderr
    broken = tmp_path / "queries.jsonl"
    broken.write_text("fine\n{nonsense\n")
    assert "line 2" in shell("gold", "propose", broken, expect=INVALID).stderr


def test_proposals_are_judged_at_the_terminal_and_gone_on_with(shell: Shell, tmp_path: Path) -> None:
    proposed = tmp_path / "proposed.jsonl"
    with HybridLibrary.open(shell.database, embedder=None) as library:
        library.put(note("loud", f"word1 word2 {CONTROL}"))
    shell("gold", "propose", "-", "-o", proposed, "--per-mode", "3", stdin="word1 word2\nword3 word4\n")
    first = shell("gold", "judge", proposed, stdin="2\ns\n0\nq\n")
    assert "query 1 of 2: word1 word2" in first.stdout
    assert "4 candidates are not judged yet" in first.stdout
    assert "\x1b" not in first.stdout
    rest = shell("gold", "judge", proposed, stdin="9\n1\n1\n0\n0\n")
    assert "0 candidates are not judged yet" in rest.stdout
    lines = [json.loads(line) for line in proposed.read_text().splitlines()]
    judged = [[one["judgement"] for one in line["candidates"]] for line in lines]
    assert judged == [[2, 1, 0], [1, 0, 0]]
    assert shell.json("evaluate", proposed, "-k", "2")["queries"] == 2
    (tmp_path / "broken.jsonl").write_text("[]\n")
    assert "line 1" in shell("gold", "judge", tmp_path / "broken.jsonl", expect=INVALID).stderr


def test_what_is_public_is_json_without_names(shell: Shell, gold: Path) -> None:
    shell("evaluate", gold, "-k", "3", "--note", "secret note")
    said = shell("runs", "--public").stdout
    exported = json.loads(said)
    assert exported["runs"][0]["figures"]["lexical"]["recall"]["value"] > 0
    assert exported["library"]["items"] == 40
    for secret in ("secret note", "gold.jsonl", "word", str(item_id(0))):
        assert secret not in said


def test_a_beir_folder_judges_what_add_made_of_its_corpus(tmp_path: Path) -> None:
    folder = tmp_path / "wings"
    (folder / "qrels").mkdir(parents=True)
    corpus = write(
        folder / "corpus.jsonl",
        [{"_id": str(n), "title": f"Report {n}", "text": f"wing number{n} flow {'heat ' * n}",
          "metadata": {"date": "2024-01-01"}} for n in range(12)],
    )  # fmt: skip
    write(folder / "queries.jsonl", [{"_id": str(n), "text": f"number{n}"} for n in range(5)])
    judged = "".join(f"{n}\t{n}\t1\n" for n in range(5))
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    shell = Shell(tmp_path / "wings.db")
    shell("add", corpus, "--collection", "wings")
    report = shell.json("evaluate", folder, "-k", "2", "--collection", "wings")
    assert report["figures"]["lexical"]["recall"]["value"] == 1
    assert "does not hold it" in shell("evaluate", folder, "-k", "2", expect=INVALID).stderr
    assert shell.json("search", "number3")["hits"][0]["item_id"] == str(stable_id("beir", "wings", "3"))


def test_proposals_may_take_the_place_of_the_queries(shell: Shell, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('word1 word2\n{"query": "word3", "relevant": []}\n')
    shell("gold", "propose", queries, "-o", queries)
    assert [json.loads(line)["query"] for line in queries.read_text().splitlines()] == ["word1 word2", "word3"]


def test_proposals_that_end_early_leave_what_was_there(shell: Shell, tmp_path: Path) -> None:
    queries, output = tmp_path / "queries.jsonl", tmp_path / "out.jsonl"
    queries.write_text('word1\n{"query": "word3", "relvant": []}\n')
    output.write_text("kept\n")
    assert "query 2" in shell("gold", "propose", queries, "-o", output, expect=INVALID).output
    assert output.read_text() == "kept\n"
    shell("gold", "propose", queries, "-o", tmp_path / "nowhere" / "out.jsonl", expect=INVALID)


@pytest.mark.parametrize("candidates", ["x", ["x"], {"a": 1}, [[1]]])
def test_proposals_that_are_none_are_refused_before_anybody_is_asked(
    shell: Shell, tmp_path: Path, candidates: Any
) -> None:
    path = write(tmp_path / "p.jsonl", [{"query": "a", "candidates": candidates}])
    assert "query 1" in shell("gold", "judge", path, expect=INVALID).output


def test_a_candidate_without_its_ranks_is_asked_about_all_the_same(shell: Shell, tmp_path: Path) -> None:
    candidate = {"locator": "x", "judgement": None, "found": [1]}
    path = write(tmp_path / "p.jsonl", [{"query": "a", "candidates": [candidate]}])
    shell("gold", "judge", path, stdin="2\n")
    assert json.loads(path.read_text())["candidates"][0]["judgement"] == 2
