"""The tools of the summarising model: what they take, checked by code, and what they answer, bounded."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from hybridkb.embedders.token_estimate import estimate_tokens
from hybridkb.papers.summary_budget import Budget
from hybridkb.papers.summary_reading import Reading
from hybridkb.text.quoting import one_line

MOST_IDS = 64
MOST_WORDS = 200
MOST_QUESTION = 500

NO_ROOM = "No room is left to read this here. Have it summarised with summarise_part, ask for less, or answer now."

Ids = Annotated[list[Annotated[StrictStr, Field(max_length=1_000)]], Field(min_length=1, max_length=MOST_IDS)]
ReadPart = Callable[[list[str], str], Awaitable[str]]
"""Has the passages with these ids summarised, with a question in mind."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReadChunks(_Arguments):
    """The arguments of ``read_chunks``."""

    ids: Ids


class ListChunks(_Arguments):
    """The arguments of ``list_chunks``, counted from 1."""

    first: Annotated[StrictInt, Field(ge=1)]
    last: Annotated[StrictInt, Field(ge=1)]


class Find(_Arguments):
    """The arguments of ``find``."""

    words: Annotated[StrictStr, Field(max_length=MOST_WORDS)]


class SummarisePart(_Arguments):
    """The arguments of ``summarise_part``."""

    ids: Ids
    question: Annotated[StrictStr, Field(max_length=MOST_QUESTION)] = ""


_IDS = {"type": "array", "items": {"type": "string"}, "description": f"ids of passages, at most {MOST_IDS}"}
_NUMBER = {"type": "integer", "description": "number of a passage, counted from 1"}
_TEXT = {"type": "string"}

FORMS: dict[str, tuple[str, type[_Arguments], dict[str, Any]]] = {
    "read_chunks": ("Read the text of these passages.", ReadChunks, {"ids": _IDS}),
    "list_chunks": (
        "List passages: id, pages, headings, first words.",
        ListChunks,
        {"first": _NUMBER, "last": _NUMBER},
    ),
    "find": ("Find the passages that hold most of these words.", Find, {"words": _TEXT}),
    "summarise_part": (
        "Have a group of passages read and summarised for you, with a question in mind (may be empty).",
        SummarisePart,
        {"ids": _IDS, "question": _TEXT},
    ),
}


class Tools:
    """Carries out what a model asks for. No call raises: what cannot be done is said."""

    def __init__(self, reading: Reading, budget: Budget, read_part: ReadPart) -> None:
        """Take the paper, the counts, and what reads a part."""
        self._reading = reading
        self._budget = budget
        self._read_part = read_part

    async def call(self, name: str, arguments: str) -> str:
        """Return what the tool ``name`` answers to ``arguments``, JSON as the model wrote it."""
        try:
            asked = FORMS[name][1].model_validate_json(arguments or "{}")
        except ValidationError as error:
            return f"Not done: {_faults(error)}"
        if isinstance(asked, SummarisePart):
            answer = await self._part(asked)
        elif isinstance(asked, ReadChunks):
            return self._read(asked.ids)
        elif isinstance(asked, ListChunks):
            answer = self._reading.listed(asked.first, asked.last)
        else:
            answer = self._reading.found(asked.words) if isinstance(asked, Find) else ""
        return answer if self._budget.take_room(_cost(answer)) else NO_ROOM

    def _read(self, ids: list[str]) -> str:
        answer, shown = self._reading.text_of(ids)
        if not self._budget.take_room(_cost(answer)):
            return NO_ROOM
        self._reading.mark(shown)
        return answer

    async def _part(self, asked: SummarisePart) -> str:
        unknown = self._reading.unknown(asked.ids)
        if unknown:
            return f"Not done: there is no passage {', '.join(one_line(one)[:40] for one in unknown[:8])}."
        return await self._read_part(asked.ids, asked.question)


def _cost(answer: str) -> int:
    """About how many tokens an answer takes in the next request."""
    return estimate_tokens(json.dumps(answer, ensure_ascii=False))


def form_of(name: str) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    properties = FORMS[name][2]
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _faults(error: ValidationError) -> str:
    told = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{_place(one['loc'])}: {one['msg'][:100]}" for one in told[:3])


def _place(place: tuple[int | str, ...]) -> str:
    return ".".join(str(part)[:40] for part in place) or "arguments"
