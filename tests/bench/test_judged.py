"""The judged questions say what the documents say: every quote stands in the file it names, as it is read."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from judged import DESK, Judgement, Question, read_questions
from judged import QUESTIONS as QUESTION_FILE

from hybridkb.documents import read_document
from hybridkb.evaluation import read_gold_set
from hybridkb.filters import Filters

QUESTIONS = read_questions()
KINDS = {
    "code", "paraphrase", "date", "name", "number", "table", "page", "filter", "cutoff", "language", "negative",
}  # fmt: skip


@cache
def passages(path: str) -> tuple[str, ...]:
    return tuple(passage.text for passage in read_document((DESK / path).read_bytes(), path).passages)


def test_there_are_questions_of_all_kinds() -> None:
    counts = Counter(question.kind for question in QUESTIONS)
    assert sum(counts.values()) >= 70
    assert counts.keys() == KINDS
    assert min(counts.values()) >= 9


def test_no_question_is_asked_twice() -> None:
    asked = Counter((question.query, question.cutoff) for question in QUESTIONS)
    assert max(asked.values()) == 1


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: f"{question.kind}: {question.query}")
def test_quotes_stand_in_one_passage_each(question: Question) -> None:
    for judgement in question.relevant:
        found = [text for text in passages(judgement.path) if judgement.holds(judgement.path, text)]
        assert len(found) == 1, f"{len(found)} passages of {judgement.path} hold {judgement.quote!r}"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: f"{question.kind}: {question.query}")
def test_judgements_say_which_answer_best(question: Question) -> None:
    assert all(judgement.grade in (1, 2) for judgement in question.relevant)
    if question.kind == "negative":
        assert not question.relevant
    elif question.kind != "cutoff":
        assert max(judgement.grade for judgement in question.relevant) == 2


def test_filters_are_filters_of_the_library() -> None:
    for question in QUESTIONS:
        Filters(**question.filters)


def test_the_library_reads_them_as_a_gold_set() -> None:
    gold = read_gold_set(QUESTION_FILE)
    assert [record.query for record in gold.records] == [question.query for question in QUESTIONS]


def test_a_quote_with_an_ellipsis_is_found_in_order_only() -> None:
    judgement = Judgement("a.md", "spot … 1,000", 2)
    assert judgement.holds("a.md", "| spot\n month | 1,000 |")
    assert not judgement.holds("a.md", "1,000 in the spot month")
    assert not judgement.holds("b.md", "spot 1,000")
