"""The hostile texts do what they are for: they break recipes, and not this library."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from peers import hostile, tasks
from peers.adapters import ADAPTERS
from peers.judging import judge_hostile

KINDS = {one.text: one.kind for one in hostile.TEXTS}


def test_the_list_is_wide_and_says_what_each_text_is_for() -> None:
    assert len(hostile.TEXTS) >= 50
    assert len(KINDS) == len(hostile.TEXTS)
    assert len(set(KINDS.values())) == len(hostile.TEXTS)
    needed = ["", "\x00", "\ud800", "AND", '"', "(", "'", "BRK.B", "C++", "10-K", "库存", "a" * 100_000]
    assert [text for text in needed if text not in KINDS] == []
    names = {document.name for document in hostile.DOCUMENTS}
    assert {one.wants for one in hostile.TEXTS} - {None} <= names


def test_every_document_has_a_vector_of_its_own() -> None:
    rows = hostile.vectors()
    assert rows.shape == (len(hostile.DOCUMENTS), hostile.DIMENSIONS)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert np.linalg.norm(hostile.query_vector()) == pytest.approx(1.0)


def _asked(name: str, folder: Path) -> list[dict[str, object]]:
    (folder / "index").mkdir()
    tasks.hostile_texts(ADAPTERS[name].load, folder / "index", folder / "log", 0)
    lines = [json.loads(line) for line in (folder / "log").read_text(encoding="utf-8").splitlines()]
    assert [line["place"] for line in lines if line.get("begun")] == list(range(len(hostile.TEXTS)))
    return [line for line in lines if "begun" not in line]


def test_no_text_breaks_this_library_and_codes_find_their_document(tmp_path: Path) -> None:
    found = judge_hostile(_asked("hybridkb", tmp_path))
    assert found["texts"] == len(hostile.TEXTS)
    assert found["raised"] == []
    assert found["died"] == []
    assert found["not_first"] == []
    assert found["with_a_right_answer"] == sum(one.wants is not None for one in hostile.TEXTS)


def test_texts_as_typed_break_the_recipe(tmp_path: Path) -> None:
    found = judge_hostile(_asked("textbook", tmp_path))
    assert found["as_typed"]
    assert sum(found["as_typed_raised"].values()) > 20
    assert "SQLError" in found["as_typed_raised"]


def test_a_text_that_kills_is_counted_with_its_kind() -> None:
    fine = {"careful": {"raised": {}, "right": None}, "as_typed": None}
    careful = {"raised": {"hybrid": "ValueError"}, "right": False}
    raising = {"careful": careful, "as_typed": {"raised": "PanicException"}}
    found = judge_hostile([{"place": 0, **raising}, {"place": 1, "died": "died by SIGSEGV"}, {"place": 2, **fine}])
    assert found["died"] == [{"kind": hostile.TEXTS[1].kind, "how": "died by SIGSEGV"}]
    assert found["raised"] == [{"kind": hostile.TEXTS[0].kind, "error": "ValueError"}]
    assert found["as_typed_raised"] == {"PanicException": 1}
    assert found["not_first"] == [hostile.TEXTS[0].text]
    assert judge_hostile([{"place": -1, "died": "failed with X"}]) == {"failed": "failed with X"}
