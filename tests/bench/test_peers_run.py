"""The command: inputs, workers in processes of their own, what ends one early, rounds, and the whole at a tiny size."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import measure
import numpy as np
import pytest
import render
from peers import environments, run
from peers.adapters import ADAPTERS, Adapter
from peers.jobs import Jobs, why
from peers.judging import judge_quality, merge_rounds
from peers.prepare import Judged


def test_sizes_are_read_as_people_write_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert (run.passages("10k"), run.passages("250")) == (10_000, 250)
    with pytest.raises(SystemExit):
        run.main(["some/folder", "--generated", "many"])
    assert "such as 500 or 10k" in capsys.readouterr().err


def test_a_process_that_ends_early_is_named_without_a_path() -> None:
    log = 'Traceback\n  File "/home/x/y.py", line 1\nsqlite3.OperationalError: unable to open /home/x/y.db\n'
    assert why(1, log) == "failed with sqlite3.OperationalError"
    assert why(-11, "") == "died by SIGSEGV"
    assert why(3, "nothing useful here") == "ended with status 3"


def test_a_task_that_fails_is_a_line_and_not_the_end(tmp_path: Path) -> None:
    said: list[str] = []
    jobs = Jobs(tmp_path, {"textbook": sys.executable}, said.append)
    found = jobs.run("textbook", "build", {"inputs": str(tmp_path / "absent")})
    assert found == {"failed": "failed with FileNotFoundError"}
    assert "failed with FileNotFoundError" in said[0]
    assert jobs.run("textbook", "build", {"inputs": str(tmp_path / "absent")}) == found
    assert len(said) == 1, "what was tried is not tried again"


def test_hostile_texts_go_on_after_one_that_kills(tmp_path: Path) -> None:
    log = tmp_path / "found" / "x-hostile.jsonl"
    log.parent.mkdir()

    class Deadly(Jobs):
        def run(self, peer: str, task: str, job: Any, **_: Any) -> dict[str, Any]:
            """A worker that dies at every other text."""
            with log.open("a", encoding="utf-8") as lines:
                for place in range(job["skip"], 5):
                    lines.write(json.dumps({"place": place, "begun": True}) + "\n")
                    if place % 2:
                        return {"failed": "died by SIGABRT"}
                    lines.write(json.dumps({"place": place, "careful": {}}) + "\n")
            return {}

    found = Deadly(tmp_path, {}, lambda _: None).run_hostile("x", 5)
    assert [line["place"] for line in found] == [0, 1, 2, 3, 4]
    assert [line["place"] for line in found if line.get("died") == "died by SIGABRT"] == [1, 3]


def test_a_hostile_text_at_which_a_run_was_stopped_is_asked_again(tmp_path: Path) -> None:
    log = tmp_path / "found" / "x-hostile.jsonl"
    log.parent.mkdir()
    asked = {"place": 0, "careful": {}}
    log.write_text("".join(json.dumps(line) + "\n" for line in (asked, {"place": 1, "begun": True})), encoding="utf-8")

    class Remaining(Jobs):
        def run(self, peer: str, task: str, job: Any, **_: Any) -> dict[str, Any]:
            """A worker that ends well."""
            with log.open("a", encoding="utf-8") as lines:
                lines.writelines(json.dumps({"place": place, "careful": {}}) + "\n" for place in range(job["skip"], 3))
            return {}

    found = Remaining(tmp_path, {}, lambda _: None).run_hostile("x", 3)
    assert found == [{"place": place, "careful": {}} for place in range(3)]


def test_hostile_texts_of_a_peer_that_never_starts_are_one_line(tmp_path: Path) -> None:
    class Absent(Jobs):
        def run(self, peer: str, task: str, job: Any, **_: Any) -> dict[str, Any]:
            return {"failed": "failed with ImportError"}

    found = Absent(tmp_path, {}, lambda _: None).run_hostile("x", 5)
    assert found == [{"place": -1, "died": "failed with ImportError"}]


def test_times_are_each_querys_median_over_the_rounds() -> None:
    def one(times: list[float], fewest: int) -> dict[str, Any]:
        case = {"times_ms": times, "matching": 9, "fewest": fewest, "short": 9 - fewest, "wrong": 0}
        return {"open_ms": 1.0, "memory_mb": 5, "cases": {"hybrid, tag-1": case}}

    found = merge_rounds([one([1.0, 10.0, 3.0], 9), one([2.0, 30.0], 8), one([9.0, 20.0, 3.0], 9), {"failed": "died"}])
    case = found["cases"]["hybrid, tag-1"]
    assert (case["p50"], case["max"], case["queries"]) == (11.0, 20.0, 2)
    assert (case["fewest"], case["short"]) == (8, 1)
    assert (found["rounds"], found["failed_rounds"]) == (3, ["died"])
    assert merge_rounds([{"failed": "died"}]) == {"failed": "died"}


def test_windows_are_judged_as_their_documents() -> None:
    pytest.importorskip("ir_measures")
    judged = Judged(4, ["q"], {"q": {"a": 1}}, "model", by_window=True)
    ranked = {"rankings": {"semantic": [["b#0", "b#7", "a#1", "a#0"]]}, "queries_that_raised": {}}
    scores = judge_quality(ranked, judged)["scores"]
    assert set(scores) == {"semantic"}
    assert scores["semantic"]["ndcg_at_10"]["value"] == pytest.approx(1 / np.log2(3), abs=1e-4)
    assert scores["semantic"]["recall_at_100"]["value"] == 1.0
    assert judge_quality({"failed": "died"}, judged) == {"failed": "died"}


def test_accelerator_libraries_are_seen_before_they_are_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report(*names: str) -> str:
        return json.dumps({"install": [{"metadata": {"name": name}} for name in names]})

    assert not environments.would_bring_accelerators(report("torch", "numpy"))
    assert environments.would_bring_accelerators(report("torch", "nvidia-cublas-cu12"))
    asked: list[tuple[str, ...]] = []

    def pip(python: Path, *arguments: str) -> str:
        asked.append(arguments)
        return report("nvidia-nccl-cu12")

    monkeypatch.setattr(environments, "_pip", pip)
    monkeypatch.setattr(environments.venv, "create", lambda *_, **__: None)
    with pytest.raises(environments.NotInstalled, match="several gigabytes"):
        environments.interpreter_of(ADAPTERS["txtai"], tmp_path, lambda _: None)
    assert all("--dry-run" in arguments for arguments in asked)


def test_an_environment_is_made_once_for_the_same_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[tuple[str, ...]] = []

    def create(place: Path, **_: Any) -> None:
        place.mkdir(parents=True)

    def pip(python: Path, *arguments: str) -> str:
        installed.append(arguments)
        return ""

    monkeypatch.setattr(environments, "_pip", pip)
    monkeypatch.setattr(environments.venv, "create", create)
    first = environments.interpreter_of(ADAPTERS["bm25s"], tmp_path, lambda _: None)
    assert environments.interpreter_of(ADAPTERS["bm25s"], tmp_path, lambda _: None) == first
    assert len(installed) == 1
    assert Path(first).is_relative_to(tmp_path / "bm25s")
    assert environments.interpreter_of(Adapter("x", "X"), tmp_path, lambda _: None) == sys.executable


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Forty documents with vectors beside them; the right one of each query is found by both legs."""
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    (folder / "emb-given").mkdir()
    names = [f"d{number}" for number in range(40)]
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(
            json.dumps({"_id": name, "title": f"paper {name}", "text": "copper mine of chile " * 9}) + "\n"
            for name in names
        )
    queries = [json.dumps({"_id": f"q{number}", "text": f"d{number} copper"}) for number in range(3)]
    (folder / "queries.jsonl").write_text("\n".join(queries), encoding="utf-8")
    judged = ["query-id\tcorpus-id\tscore", *(f"q{number}\td{number}\t1" for number in range(3))]
    (folder / "qrels" / "test.tsv").write_text("\n".join(judged), encoding="utf-8")
    rows = np.eye(40, dtype=np.float16)
    np.save(folder / "emb-given" / "docs.npy", rows)
    np.save(folder / "emb-given" / "queries.npy", rows[:3])
    ids = {"docs": names, "queries": ["q0", "q1", "q2"]}
    (folder / "emb-given" / "ids.json").write_text(json.dumps(ids), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_the_command_measures_stores_and_goes_on(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From end to end with the peers that need nothing extra, in processes of their own."""
    pytest.importorskip("ir_measures")
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "results")
    arguments = [str(collection), "--generated", "50", "--rounds", "1", "--only", "textbook", "--work"]
    monkeypatch.chdir(tmp_path)  # folders are given as people give them, and tasks run elsewhere
    arguments += ["work", "--json", str(tmp_path / "results" / "peers-tiny-50.json")]
    assert run.main(arguments) == 0
    first = json.loads((tmp_path / "results" / "peers-tiny-50.json").read_text(encoding="utf-8"))
    assert list(first["peers"]) == ["hybridkb", "textbook"]
    for peer in first["peers"].values():
        for mode in ("lexical", "semantic", "hybrid"):
            assert peer["quality"]["scores"][mode]["ndcg_at_10"]["value"] == 1.0
        assert peer["build"]["documents"] == 50
        assert peer["asked"]["cases"]["hybrid"]["queries"] == 40
        assert peer["asked"]["cases"]["hybrid, tag-50"]["short"] == 0
        assert peer["past"]["documents_at_cutoff"] + peer["past"]["documents_later"] == 50
    ours, recipe = first["peers"]["hybridkb"], first["peers"]["textbook"]
    assert set(ours["past"]["changed"]["hybrid"].values()) == {0.0}
    assert recipe["past"]["changed"]["lexical"]["scores"] > 0
    assert (ours["hostile"]["raised"], ours["hostile"]["died"]) == ([], [])
    assert "| hybridkb | 1.000 |" in capsys.readouterr().out

    assert run.main(arguments) == 0, "everything was found before"
    assert "hybridkb: build" not in capsys.readouterr().err
    page = render.render(render.load(tmp_path / "results"))
    assert "tiny and 50 generated passages" in page
    with pytest.raises(SystemExit, match="belongs to another run"):
        run.main([*arguments, "--generated", "60"])


def test_a_run_of_some_peers_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(run, "measure", lambda options, work: {"peers": {}, "collection": {"name": "x"}})
    assert run.main(["x", "--only", "chroma"]) == 0
    assert "not stored" in capsys.readouterr().err
    assert run.main(["x"]) == 0
    assert (tmp_path / "results" / "peers-x-10k.json").exists()
