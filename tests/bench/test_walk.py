"""The walk through time runs from end to end on a tiny collection, and sees nothing late."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import walk


@pytest.fixture
def dated(tmp_path: Path) -> Path:
    """Thirty documents around the first days of the walk, each one window, with vectors."""
    folder = tmp_path / "dated"
    place = folder / "emb-given-w180"
    place.mkdir(parents=True)
    names = [f"{'minutes' if number % 3 == 0 else 'speech'}-{number}" for number in range(30)]
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        for number, name in enumerate(names):
            day = f"20{9 + number // 20:02}-12-{number % 28 + 1:02}"
            document = {"_id": name, "title": "", "text": f"copper number{number}", "metadata": {"date": day}}
            lines.write(json.dumps(document) + "\n")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "copper"}\n', encoding="utf-8")
    (place / "ids.json").write_text(json.dumps([f"{name}#0" for name in names]), encoding="utf-8")
    (place / "query_ids.json").write_text('["q"]', encoding="utf-8")
    vectors = np.random.default_rng(1).standard_normal((31, 16)).astype(np.float16)
    np.save(place / "docs.npy", vectors[:30])
    np.save(place / "queries.npy", vectors[30:])
    return folder


def test_walk(dated: Path, tmp_path: Path) -> None:
    out = tmp_path / "walk.json"
    assert walk.main(["--fomc", str(dated), "--days", "8", "--json", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert (found["passages"], found["days"], found["late_hits"]) == (30, 8, 0)
    assert 0 < found["modes"]["hybrid"]["visible"][0] < found["modes"]["hybrid"]["visible"][1] < 30
    assert found["modes"]["lexical"]["hits"] > 0
    assert "| hybrid |" in walk.render_walk(found)
