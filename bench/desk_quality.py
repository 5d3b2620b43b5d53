"""How often the example desk's questions find what answers them, by words, by meaning and by both.

``python bench/desk_quality.py [--words]``: a `KnowledgeBase` with the bundled model keeps ``examples/desk`` in step,
and every judged question (see ``judged.py``) is asked in every mode. ``--words`` asks by words alone, without a model.
Measures are those of trec_eval (package ``ir-measures``); the rank of every question's first answer is kept.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from judged import DESK, Judgement, Question, read_questions
from measure import facts, store

from hybridkb import KnowledgeBase
from hybridkb.documents import read_document
from hybridkb.knowledge_base import KnowledgeHits

MODES = ("lexical", "semantic", "hybrid")
DEPTH = 10

Found = dict[str, dict[str, float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, ask, store."""
    parser = argparse.ArgumentParser(description="Judge the answers to the example desk's questions.")
    parser.add_argument("--words", action="store_true", help="ask by words alone; no model is needed")
    parser.add_argument("--json", metavar="FILE", help="where to write the result")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hybridkb-desk-") as place:
        results = measure(Path(place) / "desk.db", MODES[:1] if options.words else MODES)
    store("desk", {**facts(), **results}, options.json)
    print(render_desk(results), file=sys.stderr)
    return int(bool(results["late_hits"]))


def measure(index: Path, modes: Sequence[str]) -> dict[str, Any]:
    """Index the desk, ask everything in every mode, judge."""
    questions = read_questions()
    with KnowledgeBase(DESK, index, embedder="local" if len(modes) > 1 else None) as knowledge:
        counts = knowledge.refresh()
        answers = {mode: [ask(knowledge, question, mode) for question in questions] for mode in modes}
    return {
        "files": counts.files,
        "passages": counts.passages,
        "questions": len(questions),
        "scores": {mode: judge(questions, found) for mode, found in answers.items()},
        "nothing_answers": {mode: relevances(questions, found) for mode, found in answers.items()},
        "late_hits": sum(late(question, hits) for found in answers.values()
                         for question, hits in zip(questions, found, strict=True)),
        "first_answer": [
            {"kind": question.kind, "query": question.query, "cutoff": question.cutoff,
             **{mode: first_answer(question, found[number]) for mode, found in answers.items()}}
            for number, question in enumerate(questions) if question.relevant
        ],
    }  # fmt: skip


def ask(knowledge: KnowledgeBase, question: Question, mode: str) -> KnowledgeHits:
    """Ask one question under its filters and cutoff."""
    cutoff = {"available_at_before": question.cutoff} if question.cutoff else {}
    return knowledge.search(question.query, DEPTH, mode=mode, **question.filters, **cutoff)  # type: ignore[arg-type]


@cache
def passages(path: str) -> list[str]:
    """The texts of a file's passages, in order."""
    return [passage.text for passage in read_document((DESK / path).read_bytes(), path).passages]


def judged_passages(question: Question) -> dict[str, int]:
    """Grades of the passages that a question's judgements mean, by the name ``path#number``."""
    grades: dict[str, int] = {}
    for judgement in question.relevant:
        name = f"{judgement.path}#{passage_of(judgement)}"
        grades[name] = max(judgement.grade, grades.get(name, 0))
    return grades


def passage_of(judgement: Judgement) -> int:
    """The number of the passage that holds a quote."""
    return next(i for i, text in enumerate(passages(judgement.path)) if judgement.holds(judgement.path, text))


def names(hits: KnowledgeHits) -> list[str]:
    """The passages that were found, best first."""
    return [f"{hit.path}#{_number(hit.path, hit.text)}" for hit in hits]


def _number(path: str, text: str) -> int:
    """Which passage of its file a hit is: its text ends with the passage, the longest that it can be."""
    fits = [number for number, passage in enumerate(passages(path)) if text.rstrip().endswith(passage.rstrip())]
    return max(fits, key=lambda number: len(passages(path)[number]))


def judge(questions: Sequence[Question], answers: Sequence[KnowledgeHits]) -> dict[str, dict[str, float]]:
    """Means of each measure, for every kind of question and for all."""
    measures = importlib.import_module("ir_measures")  # an extra: only benches need it
    wanted = {
        "success_at_1": measures.Success @ 1,
        "success_at_5": measures.Success @ 5,
        "ndcg_at_10": measures.nDCG @ 10,
    }
    judged = {str(i): judged_passages(question) for i, question in enumerate(questions) if question.relevant}
    found = {name: _ranked(answers[int(name)]) for name in judged}
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in measures.iter_calc(list(wanted.values()), judged, found):
        label = next(name for name, measure in wanted.items() if measure == one.measure)
        for kind in (questions[int(one.query_id)].kind, "all"):
            values[kind][label].append(float(one.value))
    return {
        kind: {
            "questions": len(values[kind]["ndcg_at_10"]),
            **{label: round(sum(values[kind][label]) / len(values[kind][label]), 4) for label in wanted},
        }
        for kind in [*dict.fromkeys(question.kind for question in questions if question.relevant), "all"]
    }


def _ranked(hits: KnowledgeHits) -> dict[str, float]:
    """Names with a score that falls with the rank; a question without a hit has an answer that is never relevant."""
    return {name: 1.0 / rank for rank, name in enumerate(names(hits), start=1)} or {"nothing": 1.0}


def first_answer(question: Question, hits: KnowledgeHits) -> int | None:
    """The rank of the first relevant passage among the ten best."""
    judged = judged_passages(question)
    return next((rank for rank, name in enumerate(names(hits), start=1) if name in judged), None)


def relevances(questions: Sequence[Question], answers: Sequence[KnowledgeHits]) -> dict[str, Any]:
    """How the best hit's relevance tells questions without an answer from the others."""
    best: dict[bool, list[float]] = {True: [], False: []}
    for question, hits in zip(questions, answers, strict=True):
        best[bool(question.relevant)].append(max((hit.relevance for hit in hits), default=0.0))
    return {
        "questions": len(best[False]),
        "without_a_hit": sum(value == 0.0 for value in best[False]),
        "median_best_relevance": round(median(best[False]), 3),
        "median_best_relevance_of_the_others": round(median(best[True]), 3),
    }


def late(question: Question, hits: KnowledgeHits) -> int:
    """How many hits were not known at the question's cutoff."""
    if not question.cutoff:
        return 0
    cutoff = datetime.fromisoformat(question.cutoff)
    return sum(hit.available_at is None or hit.available_at > cutoff for hit in hits)


def render_desk(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    scores = results["scores"]
    lines = [
        f"{results['questions']} questions of {results['files']} files in {results['passages']} passages"
        f"{_provenance(results)}.",
        "",
        "| questions | | " + " | ".join(f"{mode} @1 | @5 | nDCG@10" for mode in scores) + " |",
        "|---|---|" + "---|" * 3 * len(scores),
    ]
    for kind, one in next(iter(scores.values())).items():
        cells = [
            f"{scores[mode][kind]['success_at_1']:.2f} | {scores[mode][kind]['success_at_5']:.2f} | "
            f"{scores[mode][kind]['ndcg_at_10']:.3f}"
            for mode in scores
        ]
        lines.append(f"| {kind} | {one['questions']} | " + " | ".join(cells) + " |")
    lines += ["", "Questions that nothing in the folder answers:", ""]
    lines += ["| mode | questions | without a hit | median best relevance | of the others |", "|---|---|---|---|---|"]
    for mode, one in results["nothing_answers"].items():
        lines.append(
            f"| {mode} | {one['questions']} | {one['without_a_hit']} | {one['median_best_relevance']:.3f} | "
            f"{one['median_best_relevance_of_the_others']:.3f} |"
        )
    return "\n".join(lines) + "\n"


def _provenance(results: dict[str, Any]) -> str:
    return f" ({results['date']}, commit {results['revision']})" if "revision" in results else ""


if __name__ == "__main__":
    sys.exit(main())
