"""The form of a summarising model's answer, asked for as a JSON schema or in words, and read strictly in the end."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

SCHEMA_NAME = "paper_summary"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "citations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "chunk_id": {"type": "string"},
                    "page": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                },
                "required": ["chunk_id", "page"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["summary", "citations"],
    "additionalProperties": False,
}

_MOST_LOOKED_AT = 1_000
_MOST_FAULTS = 5


class DraftCitation(BaseModel):
    """A passage that the model names, and perhaps its page. Nothing of it is believed yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chunk_id: StrictStr
    page: StrictInt | None = None


class Draft(BaseModel):
    """A model's answer, in form. Ids, sources and lineage are not for it to give: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    summary: StrictStr
    citations: Annotated[list[DraftCitation], Field(max_length=_MOST_LOOKED_AT)]


def read_draft(text: str) -> Draft | list[str]:
    """Read an answer: the JSON object in it, whatever stands around it (fences, a greeting). Else the faults.

    There must be one such object, without a key twice, and nothing in it but what was asked for.
    """
    found = _object_in(text)
    if isinstance(found, str):
        return [found]
    try:
        return Draft.model_validate(found)
    except ValidationError as error:
        told = error.errors(include_url=False, include_context=False, include_input=False)
        return [f"{_place(one['loc'])}: {_fault(one['type'], one['msg'])}" for one in told[:_MOST_FAULTS]]


def _object_in(text: str) -> dict[str, Any] | str:
    """The one JSON object of a text that has a summary, or what is wrong."""
    decoder = json.JSONDecoder(object_pairs_hook=_each_key_once, parse_constant=_no_constant)
    found: list[dict[str, Any]] = []
    fault = "no JSON object was found in the answer"
    at = text.find("{")
    for _ in range(_MOST_LOOKED_AT):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            return found[0] if found else f"the JSON cannot be read: {str(error)[:200] or type(error).__name__}"
        if "summary" in value:
            found.append(value)
        fault = "the JSON object has no summary"
        at = text.find("{", end)
    if len(found) > 1:
        return "more than one JSON object with a summary stands in the answer"
    return found[0] if found else fault


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _fault(kind: str, told: str) -> str:
    """What is wrong with a field, in words of JSON: a model knows nothing of our classes."""
    return 'must be an object, {"chunk_id": "...", "page": 1}' if kind == "model_type" else told


def _place(place: tuple[int | str, ...]) -> str:
    return ".".join(str(part)[:40] for part in place) or "the answer"
