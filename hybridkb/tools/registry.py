"""A tool as data, and the list of tools that a server offers: the one place where another room adds its own.

    registry = Registry(BUILT_IN)
    registry.add(Tool("reindex_memory", "Index the memory anew", "...", PARAMETERS, reindex, writes=True))

A tool that writes is served in write mode only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from hybridkb.errors import HybridKBError, InvalidFilter, InvalidInput, InvalidQuery
from hybridkb.tools.cards import time_text
from hybridkb.tools.desk import Desk
from hybridkb.tools.parameters import Parameter, object_schema, read_arguments, shown
from hybridkb.tools.safe_text import clip, clip_middle, one_line, without_places

MOST_MESSAGE = 1_000
MOST_ARGUMENT = 80
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: lower-case letters, digits and underscores.
        title: a few words for people.
        description: what it does, for a model. Never made from what documents say.
        parameters: its arguments, from which its schema is made and against which calls are checked.
        function: answers a call: the desk and the checked arguments in, plain data out.
        writes: whether it changes anything.
        answers: JSON schemas of what every answer holds, by key.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    function: Callable[[Desk, Mapping[str, Any]], dict[str, Any]]
    writes: bool = False
    answers: Mapping[str, Mapping[str, Any]] | None = None

    def call(self, desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments and answer.

        Raises:
            InvalidQuery, InvalidFilter: an argument is wrong; the text names the right one.
            HybridKBError: whatever else the tool cannot do.
        """
        has_times = any(parameter.kind == "instant" for parameter in self.parameters)
        zone = desk.zone if has_times and arguments else "UTC"
        return self.function(desk, read_arguments(self.name, self.parameters, arguments, zone))

    def described(self, desk: Desk) -> str:
        """The description, with the desk's fixed cutoff when there is one."""
        if desk.fixed is None:
            return self.description
        return (
            f"{self.description} Fixed at {time_text(desk.fixed)}: nothing that became observable later is shown, and "
            "a later available_at_before is refused."
        )

    def input_schema(self, *, strict: bool = False) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return object_schema(self.parameters, strict=strict)

    def output_schema(self) -> dict[str, Any] | None:
        """The JSON schema of its answers; None when they have no fixed shape."""
        if self.answers is None:
            return None
        return {"type": "object", "properties": dict(self.answers), "required": list(self.answers)}


class Registry:
    """Tools by name, in the order in which they were added."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        """Begin with these tools."""
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool) -> None:
        """Offer one more tool.

        Raises:
            InvalidInput: its name is taken or unusable, or two of its arguments have one name.
        """
        if not _NAME.fullmatch(tool.name):
            raise InvalidInput(
                f"{tool.name!r} cannot name a tool; use lower-case letters, digits and underscores", field="name"
            )
        if tool.name in self._tools:
            raise InvalidInput(f"there is a tool {tool.name!r} already", field="name")
        names = [parameter.name for parameter in tool.parameters]
        if len(set(names)) < len(names):
            raise InvalidInput(f"two arguments of {tool.name} have one name", field="parameters")
        self._tools[tool.name] = tool

    def served(self, *, allow_write: bool = False) -> Sequence[Tool]:
        """The tools that are offered; those that write in write mode only."""
        return [tool for tool in self._tools.values() if allow_write or not tool.writes]

    def find(self, name: str, *, allow_write: bool = False) -> Tool:
        """Return a tool that is offered.

        Raises:
            InvalidQuery: there is none of that name, or it writes and that is not allowed; suggests the right one.
        """
        tool = self._tools.get(name)
        if tool is not None and (allow_write or not tool.writes):
            return tool
        if tool is not None:
            raise InvalidQuery(f"{name} writes, and this server was started read-only", field="name")
        names = [one.name for one in self.served(allow_write=allow_write)]
        near = get_close_matches(str(name), names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise InvalidQuery(f"there is no tool {shown(name)}; {hint}", field="name")


def error_card(error: HybridKBError) -> dict[str, Any]:
    """An error as plain data that an agent can act on: what an argument holds may stand in it, so it is kept short."""
    message, path = one_line(str(error)), getattr(error, "path", None)
    if not isinstance(error, InvalidQuery | InvalidFilter):  # these speak of what the agent wrote itself
        message = without_places(message, [path] if isinstance(path, str) else [])
    card = {"error": type(error).__name__, "message": clip_middle(message, MOST_MESSAGE)}
    field = getattr(error, "field", None)
    return card | ({"argument": clip(one_line(str(field)), MOST_ARGUMENT)} if field else {})
