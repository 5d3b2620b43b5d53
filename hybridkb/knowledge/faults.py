"""Validation faults in words: which field, what is wrong, how to mend it."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic_core import ErrorDetails, ValidationError

from hybridkb.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import BaseModel

_MOST_SHOWN = 5


def as_invalid_input(error: ValidationError, model: type[BaseModel]) -> InvalidInput:
    """Tell a pydantic error as InvalidInput; its ``field`` is the path of the first fault, parts joined by dots."""
    faults = error.errors(include_url=False, include_input=False)
    told = [_tell(fault, model) for fault in faults[:_MOST_SHOWN]]
    more = len(faults) - len(told)
    if more:
        told.append(f"and {more} more")
    head = f"{model.__name__} is not valid: " if len(told) == 1 else f"{model.__name__} is not valid:\n  "
    return InvalidInput(head + "\n  ".join(told), field=_path(faults[0]) or None)


def _path(fault: ErrorDetails) -> str:
    return ".".join(str(part) for part in fault["loc"])


def _tell(fault: ErrorDetails, model: type[BaseModel]) -> str:
    teller = _TELLERS.get(fault["type"])
    words = teller(fault, model) if teller else fault["msg"]
    path = _path(fault)
    return f"{path}: {words}" if path else words


def _tell_extra(fault: ErrorDetails, model: type[BaseModel]) -> str:
    if len(fault["loc"]) > 1:
        return "no such field; check the spelling or leave it out"
    names = list(model.model_fields)
    near = get_close_matches(str(fault["loc"][-1]), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the fields are {', '.join(names)}"
    return f"no such field; {hint}"


def _tell_missing(fault: ErrorDetails, model: type[BaseModel]) -> str:
    if fault["loc"] == ("id",):
        return "is required; give a UUID, for example stable_id(...) of what names it"
    return "is required; give it a value"


def _context(fault: ErrorDetails) -> dict[str, Any]:
    return fault.get("ctx", {})


_TELLERS: dict[str, Callable[[ErrorDetails, type[BaseModel]], str]] = {
    "missing": _tell_missing,
    "extra_forbidden": _tell_extra,
    "string_too_long": lambda fault, model: (
        f"is longer than {_context(fault)['max_length']:,} characters, the most allowed; split it"
    ),
    "string_unicode": lambda fault, model: (
        'holds a lone surrogate, which UTF-8 cannot store; mend it with text.encode("utf-8", "replace").decode("utf-8")'
    ),
    "json_invalid": lambda fault, model: f"is not JSON: {_context(fault)['error']}",
    "model_type": lambda fault, model: f"give a mapping of fields or a {_context(fault)['class_name']}",
    "tuple_type": lambda fault, model: "give a list or tuple of values",
    "finite_number": lambda fault, model: "is not a finite number; leave it out when it is unknown",
}
