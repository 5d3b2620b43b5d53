"""The judged notes in Chinese and Japanese are whole, and hybridkb finds them."""

from __future__ import annotations

import cjk_quality
import pytest


def test_every_judgement_names_a_document_of_its_language() -> None:
    documents = {one["_id"]: one["language"] for one in cjk_quality.read("documents")}
    queries = cjk_quality.read("queries")
    assert len({one["_id"] for one in queries}) == len(queries) == len({one["text"] for one in queries})
    assert set(documents.values()) == set(cjk_quality.LANGUAGES)
    assert len(queries) >= 40
    for one in queries:
        assert max(one["relevant"].values()) == 2
        assert {documents[name] for name in one["relevant"]} == {one["language"]}


def test_both_languages_are_found_by_words() -> None:
    pytest.importorskip("ir_measures")
    nothing: cjk_quality.Rankings = {one["_id"]: [] for one in cjk_quality.read("queries")}
    found = cjk_quality.measure(nothing, {})
    for language in cjk_quality.LANGUAGES:
        one = found["languages"][language]
        assert one["scores"]["hybridkb"]["ndcg_at_10"] > 0.95
        assert one["scores"]["segmented"]["ndcg_at_10"] == 0.0
        assert one["hybridkb_minus_segmented"]["ndcg_at_10"]["value"] == one["scores"]["hybridkb"]["ndcg_at_10"]
    assert "Chinese | 72 | 44" in cjk_quality.render_cjk(found)
