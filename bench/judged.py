"""The judged questions of the example desk: ``examples/desk_questions.jsonl``, one question a line.

``query``, ``kind``, ``relevant`` (``path``, ``quote``, ``grade``: 2 answers, 1 helps), and, where given, ``filters``
and ``cutoff``. A passage is judged by what it says, not by where it begins: it is relevant when its file is named and
the quote stands in it. In a quote, an ellipsis stands for anything in between; nothing relevant means that the folder
(at the cutoff) does not answer.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
DESK = EXAMPLES / "desk"
QUESTIONS = EXAMPLES / "desk_questions.jsonl"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One stretch of one file that answers, or helps."""

    path: str
    quote: str
    grade: int

    def holds(self, path: str, text: str) -> bool:
        """Whether a passage of a file is this one."""
        if path != self.path:
            return False
        text, at = spaced(text), 0
        for part in self.quote.split("…"):
            found = text.find(spaced(part), at)
            if found < 0:
                return False
            at = found + len(spaced(part))
        return True


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, under which filters and cutoff, and what answers it."""

    query: str
    kind: str
    relevant: tuple[Judgement, ...]
    filters: Mapping[str, Any] = field(default_factory=dict)
    cutoff: str | None = None


def read_questions(path: Path = QUESTIONS) -> list[Question]:
    """All questions in the order of the file."""
    return [_question(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _question(fields: dict[str, Any]) -> Question:
    relevant = tuple(Judgement(**judgement) for judgement in fields.pop("relevant"))
    return Question(relevant=relevant, **fields)


def spaced(text: str) -> str:
    """A text in which equal characters are equal and every run of blanks, and what parts cells, is one space."""
    return re.sub(r"[\s|]+", " ", unicodedata.normalize("NFKC", text)).strip()
