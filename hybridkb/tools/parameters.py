"""The arguments of a tool: one list from which schemas are made and against which every call is checked.

A name that is unknown is an error that suggests the right one; nothing is ever passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from reprlib import Repr
from typing import Any, Literal

from hybridkb.errors import InvalidFilter, InvalidInput, InvalidQuery
from hybridkb.knowledge.times import parse_day_or_instant, parse_instant

Kind = Literal["text", "texts", "integer", "number", "instant"]

_JSON_TYPES: Mapping[Kind, str] = {
    "text": "string", "texts": "array", "integer": "integer", "number": "number", "instant": "string",
}  # fmt: skip
# What people and models write instead.
_USUAL = {
    "q": "query", "text": "query", "question": "query", "keywords": "query",
    "top_k": "limit", "k": "limit", "n": "limit", "max_results": "limit", "count": "limit",
    "max_tokens": "max_chars", "budget": "max_chars", "type": "item_types", "types": "item_types",
    "folder": "path_prefix", "path": "path_prefix", "before": "available_at_before", "cutoff": "available_at_before",
    "available_before": "available_at_before", "as_of": "available_at_before", "at": "available_at_before",
    "until": "available_at_before", "date": "available_at_before", "id": "locator", "item_id": "locator",
    "trust": "min_trust", "page": "offset",
}  # fmt: skip

MOST_SHOWN = 80
_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 3, MOST_SHOWN, MOST_SHOWN


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool.

    Attributes:
        name: as it is written in a call.
        kind: what it takes; an instant is ISO text with an offset, or a day.
        description: one sentence for whoever calls.
        choices: the only values it takes; empty for any.
        required: whether a call must give it; others may be left out or null.
        least, most: bounds of a number.
        default: what is taken when it is left out, for the schema.
        is_filter: whether it is one of the filters of a search.
    """

    name: str
    kind: Kind
    description: str
    choices: tuple[str, ...] = ()
    required: bool = False
    least: float | None = None
    most: float | None = None
    default: Any = None
    is_filter: bool = False

    def schema(self, *, strict: bool) -> dict[str, Any]:
        """The JSON schema of the value; ``strict`` is the subset in which everything is required and may be null."""
        kind: dict[str, Any] = {"type": _JSON_TYPES[self.kind]}
        if self.kind == "texts":
            kind["items"] = {"type": "string", "enum": list(self.choices)} if self.choices else {"type": "string"}
        elif self.choices:
            kind["enum"] = list(self.choices)
        if strict:
            if not self.required:
                kind["type"] = [kind["type"], "null"]
                if "enum" in kind:
                    kind["enum"] = [*kind["enum"], None]
            return {**kind, "description": self._description()}
        if self.kind in ("integer", "number"):
            bounds = {"minimum": self.least, "maximum": self.most}
            kind |= {name: value for name, value in bounds.items() if value is not None}
        if self.default is not None:
            kind["default"] = self.default
        return {**kind, "description": self.description}

    def _description(self) -> str:
        """The description with what the strict subset has no words for."""
        bounds = f" From {self.least:,} to {self.most:,}." if self.least is not None and self.most is not None else ""
        default = f" null: {self.default}." if self.default is not None else ""
        return self.description + bounds + default

    def read(self, value: Any, zone: str) -> Any:
        """Check a value; an instant becomes a datetime, a day its first microsecond in ``zone``.

        Raises:
            InvalidQuery, InvalidFilter: it is of the wrong kind or out of bounds.
        """
        if self.kind == "integer":
            return self._whole(value)
        if self.kind == "number":
            return self._number(value)
        if self.kind == "instant":
            return self._instant(value, zone)
        texts = [value] if isinstance(value, str) else value
        if self.kind == "text" and not isinstance(value, str):
            raise self._wrong(f"takes text, not {shown(value)}")
        if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
            raise self._wrong(f"takes a list of texts, not {shown(value)}")
        for text in texts if self.choices else ():
            if text not in self.choices:
                raise self._wrong(f"does not know {shown(text)}; use {', '.join(self.choices)}")
        return value if self.kind == "text" else list(texts)

    def _whole(self, value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not self._within(value):
            raise self._wrong(f"is a whole number from {self.least:,} to {self.most:,}, not {shown(value)}")
        return value

    def _number(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self._within(value):
            raise self._wrong(f"is a number from {self.least} to {self.most}, not {shown(value)}")
        return float(value)

    def _within(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def _instant(self, value: Any, zone: str) -> datetime:
        if not isinstance(value, str):
            raise self._wrong(f"takes a day or an instant as text, not {shown(value)}")
        try:
            return parse_day_or_instant(value, meaning="cutoff", zone=zone)
        except InvalidInput as error:
            raise self._wrong(f": {error}", joined=True) from None

    def _wrong(self, why: str, *, joined: bool = False) -> InvalidInput:
        kind = InvalidFilter if self.is_filter else InvalidQuery
        return kind(f"{self.name}{'' if joined else ' '}{why}", field=self.name)


def read_arguments(
    tool: str, parameters: Sequence[Parameter], given: Mapping[str, Any], zone: str = "UTC"
) -> dict[str, Any]:
    """Check the arguments of a call; what is null counts as left out.

    Raises:
        InvalidQuery: a name is unknown (the right one is suggested), one is missing, or a value is wrong.
        InvalidFilter: the value of a filter is wrong.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            raise unknown_name(tool, name, known)
    for parameter in parameters:
        if parameter.required and given.get(parameter.name) is None:
            raise InvalidQuery(f"{tool} needs {parameter.name}: {parameter.description}", field=parameter.name)
    return {name: known[name].read(value, zone) for name, value in given.items() if value is not None}


def read_cutoff(value: datetime | str | None) -> datetime | None:
    """Check a cutoff that a Python program gives: an aware datetime, or ISO text with an offset.

    Raises:
        InvalidFilter: it is no instant.
    """
    if value is None:
        return None
    try:
        return parse_instant(value, rounding="down")
    except InvalidInput as error:
        raise InvalidFilter(f"available_at_before: {error}", field="available_at_before") from None


def unknown_name(tool: str, name: str, known: Mapping[str, Parameter]) -> InvalidInput:
    """The error that names the right argument: an InvalidQuery when that is no filter, else an InvalidFilter."""
    usual = _USUAL.get(str(name).lower())
    near = [usual] if usual is not None and usual in known else get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known) or 'none'}"
    kind = InvalidQuery if near and not known[near[0]].is_filter else InvalidFilter
    return kind(f"{tool} has no argument {shown(name)}; {hint}", field=str(name))


def shown(value: Any) -> str:
    """A value in an error: short, and in one line, however large or deep it is."""
    try:
        text = _SHORT.repr(value)
    except ValueError:  # a number of more digits than Python writes
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."


def object_schema(parameters: Sequence[Parameter], *, strict: bool = False) -> dict[str, Any]:
    """The JSON schema of all arguments: closed to unknown names."""
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema(strict=strict) for parameter in parameters},
        "required": [parameter.name for parameter in parameters if strict or parameter.required],
        "additionalProperties": False,
    }
