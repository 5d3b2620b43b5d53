"""``search_knowledge`` as a function tool of OpenAI-compatible models: its strict schema, and what to call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from hybridkb.errors import HybridKBError, InvalidQuery
from hybridkb.knowledge.json_keys import unique_keys
from hybridkb.tools.catalog import SEARCH, registry
from hybridkb.tools.desk import Desk, Target, make_desk
from hybridkb.tools.parameters import shown
from hybridkb.tools.registry import Tool, error_card


def openai_tool(
    target: Target, *, available_before: str | datetime | None = None
) -> tuple[dict[str, Any], Callable[..., str]]:
    """Make the function tool ``search_knowledge``.

    Args:
        target: as for :func:`hybridkb.tools.search_knowledge`; a path is opened read-only and stays open.
        available_before: a cutoff that no argument passes. An earlier ``available_at_before`` shows less; a later one
            is refused in words.

    Returns:
        The tool as the chat completions interface takes it (its ``["function"]``, beside ``"type": "function"``, is
        what the responses interface takes), in strict mode; and the function to call with the arguments that the
        model gave: a mapping, the JSON text, or keywords. It returns JSON text. Wrong arguments come back as an
        answer with ``error`` and ``message``, so that the model can mend them; nothing is raised for them.

    Raises:
        InvalidInput: the target cannot be asked, or the cutoff is no instant.
        DatabaseError: the path leads to no library.
    """
    desk = make_desk(target, available_before=available_before)
    return openai_schema(SEARCH, desk), openai_function(SEARCH, desk)


def openai_tools(
    target: Target, *, available_before: str | datetime | None = None
) -> list[tuple[dict[str, Any], Callable[..., str]]]:
    """Make a function tool of every tool that only reads: search, passages, sources, status.

    Arguments, results and errors are those of :func:`openai_tool`.
    """
    desk = make_desk(target, available_before=available_before)
    return [(openai_schema(tool, desk), openai_function(tool, desk)) for tool in registry().served()]


def openai_schema(tool: Tool, desk: Desk) -> dict[str, Any]:
    """A tool as chat completions take it, strict: every argument required, those that may be left out nullable."""
    function = {
        "name": tool.name,
        "description": tool.described(desk),
        "parameters": tool.input_schema(strict=True),
        "strict": True,
    }
    return {"type": "function", "function": function}


def openai_function(tool: Tool, desk: Desk) -> Callable[..., str]:
    """What to call when a model calls the tool."""

    def call(arguments: str | Mapping[str, Any] | None = None, /, **named: Any) -> str:
        try:
            answer = tool.call(desk, _together(tool, _read(tool, arguments), named))
        except HybridKBError as error:
            answer = error_card(error)
        return json.dumps(answer, ensure_ascii=False)

    call.__name__ = tool.name
    call.__doc__ = tool.described(desk)
    return call


def _read(tool: Tool, arguments: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The arguments as a model gave them.

    Raises:
        InvalidQuery: they are no JSON object.
    """
    if arguments is None:
        return {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError) as error:
            raise InvalidQuery(f"the arguments of {tool.name} are not JSON: {error}") from None
    if not isinstance(arguments, Mapping):
        raise InvalidQuery(f"the arguments of {tool.name} are a JSON object, not {type(arguments).__name__}")
    return arguments


def _together(tool: Tool, given: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of both forms.

    Raises:
        InvalidQuery: one is given in both.
    """
    for name in named:
        if name in given:
            raise InvalidQuery(f"{tool.name} was given {shown(name)} twice; give it once", field=name)
    return {**given, **named}
