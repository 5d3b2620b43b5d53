"""Keeping a folder in step is measured from end to end, and what must not happen does not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import folder_sync as folder
import pytest
import render


@pytest.mark.slow
def test_smoke(tmp_path: Path) -> None:
    out = tmp_path / "folder.json"
    assert folder.main(["--size", "smoke", "--json", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    for run, embedded in (("words only", False), ("with vectors", True)):
        steps = found["runs"][run]
        assert (steps["first"]["indexed"], steps["nothing changed"]["indexed"]) == (200, 0)
        assert (steps["1 % changed"]["indexed"], steps["renamed"]["indexed"]) == (2, 20)
        assert (steps["1 % deleted"]["removed"], steps["renamed"]["removed"]) == (2, 20)
        if embedded:
            texts = {step: one["embedder"]["texts"] for step, one in steps.items() if isinstance(one, dict)}
            assert texts["first"] == steps["first"]["passages"]
            assert texts["nothing changed"] == texts["renamed"] == texts["1 % deleted"] == 0
            assert 0 < texts["1 % changed"] < 10
    page = render.render({"folder": found})
    assert "| with vectors | renamed | 20 |" in page
    assert "Nothing changed in 200 files" in page


def test_pages_of_a_collection_become_files_of_their_documents(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        for name in ("A_10K#p1", "A_10K#p2", "B_10Q#p1"):
            lines.write(json.dumps({"_id": name, "title": name, "text": "copper"}) + "\n")
    names = [name for name, _ in folder.page_texts(tmp_path, 2)]
    assert names == ["A_10K/p1.txt", "A_10K/p2.txt"]


def test_counting_embedder_gives_the_same_text_the_same_vector() -> None:
    embedder = folder.CountingEmbedder()
    one, other, again = embedder.embed_documents(["copper", "wheat", "copper"])
    assert (one == again).all()
    assert (one != other).any()
    assert embedder.taken() == {"calls": 1, "texts": 3}
    assert embedder.taken() == {"calls": 0, "texts": 0}
