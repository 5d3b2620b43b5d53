"""The example desk's questions are asked and judged from end to end; words alone find most answers."""

from __future__ import annotations

import json
from pathlib import Path

import desk_quality
import pytest
from judged import Judgement, Question

from hybridkb.knowledge_base import KnowledgeHit, KnowledgeHits

pytest.importorskip("ir_measures")

QUOTE = Judgement("post-mortems/2019-11-fat-finger.md", "Net loss 186,000 dollars", 2)


def hits(*paths_and_texts: tuple[str, str]) -> KnowledgeHits:
    found = [KnowledgeHit(path, "", "", text=text, relevance=0.5) for path, text in paths_and_texts]
    return KnowledgeHits(found, mode="lexical", degraded=None, counts=None, results=None)  # type: ignore[arg-type]


def test_words_alone_find_most_answers_and_nothing_late(tmp_path: Path) -> None:
    out = tmp_path / "desk.json"
    assert desk_quality.main(["--words", "--json", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["late_hits"] == 0
    assert found["questions"] == sum(found["scores"]["lexical"][part]["questions"] for part in ["all"]) + 13
    assert found["scores"]["lexical"]["all"]["success_at_5"] >= 0.8
    assert "| code |" in desk_quality.render_desk(found)


def test_a_hit_is_judged_by_its_passage_and_not_by_its_heading() -> None:
    path, text = QUOTE.path, desk_quality.passages(QUOTE.path)[desk_quality.passage_of(QUOTE)]
    question = Question("186,000 dollars", "number", (QUOTE,))
    right = hits(
        ("policy/glossary.md", "Glossary\n\n" + desk_quality.passages("policy/glossary.md")[0]), (path, f"H\n\n{text}")
    )
    assert desk_quality.first_answer(question, right) == 2
    scores = desk_quality.judge([question], [right])["all"]
    assert (scores["success_at_1"], scores["success_at_5"]) == (0.0, 1.0)
    assert 0.6 < scores["ndcg_at_10"] < 0.64


def test_a_question_without_a_hit_counts_as_missed() -> None:
    question = Question("186,000 dollars", "number", (QUOTE,))
    assert desk_quality.judge([question], [hits()])["all"]["ndcg_at_10"] == 0.0


def test_relevances_part_answered_questions_from_the_others() -> None:
    asked = [Question("x", "number", (QUOTE,)), Question("y", "negative", ())]
    told = desk_quality.relevances(asked, [hits((QUOTE.path, "t")), hits()])
    assert told["without_a_hit"] == told["questions"] == 1
    assert told["median_best_relevance_of_the_others"] == 0.5
