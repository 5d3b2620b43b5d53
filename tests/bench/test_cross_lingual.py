"""The questions across languages are whole, and every engine is asked the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cross_lingual
import expectations
import numpy as np
import pytest
from beir import Vectors
from report import across

from support.fake_embedder import HashEmbedder


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    """Of a model that understands nothing; a question's vector is that of its best answer."""
    embedder = HashEmbedder(32)
    told = cross_lingual.libraries()["all"]
    rows = embedder.embed_documents([one.document.text for one in told]).astype(np.float16)
    documents = dict(zip((one.document.name for one in told), rows, strict=True))
    queries = {one.name: documents[max(one.relevant, key=lambda name, one=one: one.relevant[name])]
               for one in cross_lingual.questions()}  # fmt: skip
    return Vectors("hash", documents, queries, by_window=False)


def test_every_question_is_judged_about_texts_in_other_languages() -> None:
    languages = {one.document.name: one.language for one in cross_lingual.libraries()["all"]}
    asked = cross_lingual.questions()
    assert len({one.name for one in asked}) == len(asked) == len({(one.language, one.text) for one in asked})
    for one in asked:
        assert max(one.relevant.values()) == 2
        assert one.language not in {languages[name] for name in one.relevant}


def test_every_question_is_asked_in_a_cell_and_every_cell_has_some() -> None:
    counts = {cell.name: len(cross_lingual.questions_of(cell)) for cell in cross_lingual.CELLS}
    assert counts == {
        "en-zh": 44, "en-ja": 34, "de-notes": 32, "zh-desk": 35, "de-desk": 25,
        "en-zh-among-all": 44, "en-ja-among-all": 34, "de-notes-among-all": 32,
    }  # fmt: skip
    assert sum(list(counts.values())[:5]) == len(cross_lingual.questions())
    for cell in cross_lingual.CELLS:
        names = {one.document.name for one in cross_lingual.libraries()[cell.library]}
        assert all(names >= set(one.relevant) for one in cross_lingual.questions_of(cell))


def test_languages_of_the_desk_are_those_of_its_files() -> None:
    told = {one.document.name.partition("#")[0]: one.language for one in cross_lingual.libraries()["desk"]}
    assert set(cross_lingual._DESK_LANGUAGES) <= set(told)
    assert {"en", "de", "zh", "ja"} == set(told.values())


def test_the_peer_fuses_its_words_with_exact_cosine(vectors: Vectors) -> None:
    names = list(vectors.documents)[:200]
    question = names[150]
    given = Vectors("m", vectors.documents, {"q": vectors.documents[question]}, by_window=False)
    found = cross_lingual.with_meaning({"q": [names[3], question]}, names, given)
    assert found["lexical"]["q"] == [names[3], question]
    assert found["semantic"]["q"][0] == question
    assert found["hybrid"]["q"][0] == question
    assert len(found["semantic"]["q"]) == 100


def test_all_are_judged_and_the_page_shows_them(
    vectors: Vectors, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ir_measures")

    def nothing(python: str, folder: Path) -> Any:
        assert {path.name for path in folder.iterdir()} == {"documents.jsonl", "queries.jsonl"}
        return {one.name: [] for one in cross_lingual.questions()}, {"bm25s": "1"}

    monkeypatch.setattr(cross_lingual, "segmented", nothing)
    monkeypatch.setattr(cross_lingual, "CELLS", cross_lingual.CELLS[1:2])
    monkeypatch.setattr(cross_lingual, "libraries", lambda: {"notes": _notes()})
    found = cross_lingual.measure("python", vectors)
    (cell,) = found["cells"]
    assert (cell["cell"], cell["documents"], cell["queries"], cell["vectors"]) == ("en-ja", 122, 34, "hash")
    assert cell["scores"]["segmented"]["lexical"]["ndcg_at_10"]["value"] == 0.0
    assert cell["scores"]["hybridkb"]["semantic"]["mrr"]["value"] > 0.95
    assert cell["difference"]["segmented"]["semantic"]["ndcg_at_10"]["value"] == pytest.approx(0.0, abs=0.02)
    assert "| English about Japanese notes | 122 | 34 |" in across.section({"cross-lingual": found}).text
    monkeypatch.setattr(expectations, "FOLDER", tmp_path)
    text = expectations.written(cell)
    assert "cross_lingual.py" in text
    (tmp_path / f"{cell['dataset']}.toml").write_text(text, encoding="utf-8")
    assert expectations.report(cell) == 0
    assert capsys.readouterr().err == "cross-lingual-en-ja: OK\n"


_notes_of = cross_lingual.libraries


def _notes() -> list[cross_lingual.Told]:
    return _notes_of()["notes"]
