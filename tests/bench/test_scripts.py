"""The scripts run from end to end at a size that only proves that they run."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import beir
import embedding
import lookahead
import measure
import postgres
import pytest
import quality
import render
import speed
import trials
from engines import Case
from report.postgres_section import render_measured, render_sizing

from support.postgres import Server


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    documents = [
        {"_id": f"d{number}", "title": f"paper {number}", "text": f"copper mine of chile number{number} " * 40}
        for number in range(40)
    ]
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(document) + "\n" for document in [*documents, {"_id": "blank", "text": " "}])
    queries = [json.dumps({"_id": f"q{number}", "text": f"number{number} copper"}) for number in range(3)]
    (folder / "queries.jsonl").write_text("\n".join(queries), encoding="utf-8")
    judged = [f"q{number}\td{number}\t1" for number in range(3)]
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_speed_smoke(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "speed.json"
    assert speed.main(["--size", "smoke", "--json", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert found["while_writing"]["stale_answers"] == 0
    assert found["recall"]["at_10"] == 1.0
    assert found["latency"]["hybrid"]["ratio"] > 0
    assert "1,000 passages" in render.render({"speed-10k": found})


def test_lookahead_on_generated_passages() -> None:
    changed = lookahead.generated(1000, queries=10)["changed"]
    assert changed["hybridkb"] == {mode: {"hits": 0, "order": 0, "scores": 0} for mode in lookahead.MODES}
    assert changed["textbook"]["lexical"]["scores"] > 0


def test_quality_of_a_tiny_collection(results: Path, collection: Path) -> None:
    pytest.importorskip("ir_measures")
    assert quality.main([str(collection)]) == 0
    found = render.load(results)["quality-tiny"]
    assert found["documents"] == 41
    assert found["indexed"] == 40
    perfect = {"value": 1.0, "low": 1.0, "high": 1.0}
    lexical = found["scores"]["hybridkb"]["lexical"]
    assert (lexical["ndcg_at_10"], lexical["recall_at_10"], lexical["recall_at_100"]) == (perfect, perfect, perfect)
    assert lexical["precision_at_10"]["value"] == 0.1
    assert "hybrid_minus_best" not in found["scores"]["hybridkb"]
    assert found["feedback"]["lexical"]["always"]["ndcg_at_10"] == perfect
    assert "tiny (test; 41 documents" in render.render({"quality-tiny": found})


def test_hybrid_minus_the_better_leg_is_paired() -> None:
    pytest.importorskip("ir_measures")
    judged = {str(number): {"right": 1} for number in range(20)}
    found: dict[Any, dict[str, list[str]]] = {
        "lexical": {query: ["wrong", "right"] for query in judged},
        "semantic": {query: ["wrong"] for query in judged},
        "hybrid": {query: ["right"] for query in judged},
    }
    scores = quality.judge(found, judged)
    assert scores["hybrid_minus_best"]["mrr"] == {"value": 0.5, "low": 0.5, "high": 0.5, "leg": "lexical"}
    assert scores["hybrid"]["recall_at_100"]["value"] == 1.0


def test_windows_count_by_their_best(collection: Path) -> None:
    def ask(text: str, query: str, mode: str, *, top_k: int) -> list[tuple[str, float]]:
        return [("a#1", 3.0), ("b#0", 2.0), ("a#0", 1.0)]

    assert quality.run(ask, {"q": "text"}, "lexical", by_window=True) == {"q": ["a", "b"]}


@pytest.mark.model
def test_vectors_are_made_once_and_kept(collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_STEP", 16)
    first = embedding.make_vectors(collection, tmp_path / "cache")
    assert len(first.documents) == 40
    monkeypatch.setattr(embedding, "embed_checked", None)
    again = embedding.make_vectors(collection, tmp_path / "cache")
    assert all((again.documents[name] == vector).all() for name, vector in first.documents.items())
    assert list(again.queries) == ["q0", "q1", "q2"]


def test_trials_of_a_tiny_corpus(results: Path, collection: Path) -> None:
    assert trials.main([str(collection / "corpus.jsonl.gz"), "--passages", "30"]) == 0
    assert "words in FTS5" in render.render(render.load(results))


def test_a_document_is_cut_into_windows() -> None:
    document = beir.Document("d", "", " ".join(map(str, range(400))), "")
    windows = list(beir.parts(document, windows=True))
    assert [part.name for part in windows] == ["d#0", "d#1", "d#2"]
    assert " ".join(part.text for part in windows) == document.text


def test_cases_have_names_of_their_own() -> None:
    names = [case.name for case in speed.cases(speed.Corpus(1000))]
    assert len(set(names)) == len(names)
    assert Case("hybrid") in speed.cases(speed.Corpus(1000))


def test_no_script_hides_a_package_of_tests() -> None:
    """Both folders lie on the path of one test process."""
    root = Path(__file__).resolve().parents[2]
    scripts = {path.stem for path in (root / "bench").glob("*.py")}
    scripts |= {path.parent.name for path in (root / "bench").glob("*/__init__.py")}
    assert not scripts & {path.name for path in (root / "tests").iterdir() if path.is_dir()}


@pytest.mark.slow
def test_postgres_smoke(results: Path, tmp_path: Path, postgres_server: Server) -> None:
    out = tmp_path / "postgres.json"
    assert postgres.main(["--size", "smoke", "--json", str(out), "--address", postgres_server.address()]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert found["while_writing"]["postgres"]["stale_answers"] == 0
    assert found["writers"]["postgres"]["two"] == {**found["writers"]["postgres"]["two"], "held": 200, "whole": True}
    assert found["hnsw"]["recall"]["default"]["at_10"] == 1.0
    assert "1,000 passages" in render_measured({"postgres-10k": found})
    assert "100M" in render_sizing({"postgres-10k": found})
