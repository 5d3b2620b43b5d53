"""The gate through which every request of a summary goes: limits before it, retries around it, checks behind it."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hybridkb.embedders.token_estimate import estimate_tokens
from hybridkb.papers.summary_agent_client import Failure
from hybridkb.papers.summary_budget import Budget, LimitReached, Ticket
from hybridkb.papers.summary_prompt import LAST_CALL, noted

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_FIXED_TOKENS = 8
_MOST_NOTES = 8
_OVER = 2  # an estimate that errs high may be so many times too high


class ServiceFault(Exception):
    """The service did not answer, and trying again does not help, or not within the limits.

    Attributes:
        temporary: the same request may succeed later.
    """

    def __init__(self, told: str, *, temporary: bool) -> None:
        super().__init__(told)
        self.temporary = temporary


class Unusable(Exception):
    """An answer that is neither a summary nor tools that can be called; ``args`` are its faults."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request as it is put to the service.

    Attributes:
        instructions: the system's message. items: the conversation. tools: names and forms, as JSON.
        forbid_tools: no tool may be called any more, and the service is told so by ``tool_choice``.
        form: the answer's form is asked for by schema.
        max_tokens: what the answer may have. length_name: the parameter that says so.
    """

    instructions: str
    items: list[Any]
    tools: list[dict[str, Any]]
    forbid_tools: bool
    form: bool
    max_tokens: int
    length_name: str


Send = Callable[[Question], Awaitable[Any]]
"""Puts a question to the service and returns its answer, or a :class:`Failure`."""


class Gate:
    """Lets requests through, one summary's worth.

    Attributes:
        budget: what was used.
        conversation: what the main model was last asked, so that an unusable answer can be followed up.
        fault: an exception of the caller's own progress function; it ends the run.
    """

    def __init__(self, budget: Budget, *, form: bool, may_drop_form: bool, progress: Callable[[], None]) -> None:
        """Take the counts, whether the form is asked for by schema, and what to call when something was done."""
        self.budget = budget
        self.conversation: list[Any] = []
        self.fault: BaseException | None = None
        self._form = form
        self._may_drop_form = may_drop_form
        self._length_name = "max_tokens"
        self._may_forbid = True
        self._answered = False
        self._progress = progress
        self._places = asyncio.Semaphore(budget.limits.concurrency)
        self._notes: list[str] = []
        self._numbered = 0
        self._deadline = asyncio.get_running_loop().time() + budget.limits.seconds

    async def ask(
        self,
        send: Send,
        instructions: str,
        items: Sequence[Any],
        tools: list[dict[str, Any]],
        *,
        part: bool,
        form: bool,
    ) -> Any:
        """Put a question until it is answered, and return the answer, checked and without surplus.

        Raises:
            LimitReached: a limit does not allow it, or was passed.
            ServiceFault: the service does not answer it.
            Unusable: the answer is of no use.
        """
        items = list(items)
        if not part:
            self.conversation = items
            items = self._with_notes(items)
        failures = 0
        while True:
            async with self._places:
                question, ticket, ending = self._question(instructions, items, tools, part=part, form=form)
                answer = await self._sent(send, question, ticket)
                if not isinstance(answer, Failure):
                    return self._checked(answer, ticket, ending, {tool["name"] for tool in tools}, part=part)
            if self._changed(answer):
                continue
            failures += 1
            await self._wait(answer, failures)

    def show(self) -> None:
        """Tell the caller how far it is; what the caller's function raises is kept, and ends the run."""
        try:
            self._progress()
        except BaseException as error:
            self.fault = error
            raise

    def _question(
        self, instructions: str, items: list[Any], tools: list[dict[str, Any]], *, part: bool, form: bool
    ) -> tuple[Question, Ticket, str | None]:  # fmt: skip
        size = _size(instructions, items, tools)
        ending = None if part or not tools else self.budget.last_because(size)
        if ending is not None:
            note = {"role": "user", "content": LAST_CALL.format(limit=ending)}
            items = [*items, note]
            size += _size("", [note], [])
        ticket = self.budget.admit(size, part=part)
        asked = Question(
            instructions=instructions,
            items=items,
            tools=tools,
            forbid_tools=ending is not None and self._may_forbid,
            form=form and self._form,
            max_tokens=ticket.output_tokens,
            length_name=self._length_name,
        )
        return asked, ticket, ending

    async def _sent(self, send: Send, question: Question, ticket: Ticket) -> Any:
        """Send, and give the promise back when the service refused; what it may have read stays booked."""
        try:
            answer = await send(question)
        except BaseException:
            self.budget.abandon(ticket)
            raise
        if isinstance(answer, Failure):
            if answer.status is not None:
                self.budget.give_back(ticket)
            else:
                self.budget.abandon(ticket)
        return answer

    def _changed(self, failure: Failure) -> bool:
        """Leave out what the service does not know; True when that is worth another attempt, which is never twice."""
        if failure.change == "length" and self._length_name == "max_tokens":
            self._length_name = "max_completion_tokens"
            return True
        if failure.change == "tools" and self._may_forbid:
            self._may_forbid = False
            return True
        unsure = failure.status in (400, 422) and not self._answered
        if (failure.change == "form" or unsure) and self._form and self._may_drop_form:
            self._form = False
            return True
        return False

    async def _wait(self, failure: Failure, failures: int) -> None:
        if not failure.again or failures > self.budget.limits.retries:
            raise ServiceFault(failure.told, temporary=failure.again)
        wait = failure.wait if failure.wait is not None else _pause(failures)
        if asyncio.get_running_loop().time() + wait >= self._deadline:
            raise ServiceFault(f"{failure.told}; it asks to wait {wait:.0f} seconds", temporary=True)
        await asyncio.sleep(wait)

    def _checked(self, answer: Any, ticket: Ticket, ending: str | None, names: set[str], *, part: bool) -> Any:
        """Book an answer's tokens, and keep of it what can be used: text, and calls of tools that are there."""
        self._answered = True
        self._book(answer, ticket)
        self.show()
        said = any(text.strip() for text in _texts(answer.output))
        calls = [item for item in answer.output if item.type == "function_call"]
        kept, notes = self._allowed(calls, names)
        if ending is not None and calls:
            if not said:
                raise LimitReached(ending, "the model calls tools instead of answering")
            kept = []
        if not kept and not said:
            raise Unusable(*(notes or [_nothing_said(answer.output)]))
        if kept and not part:
            self._notes += notes
        answer.output = [item for item in answer.output if item.type in ("message", "reasoning")] + kept
        return answer

    def _allowed(self, calls: list[Any], names: set[str]) -> tuple[list[Any], list[str]]:
        """The tool calls that may be carried out, numbered by us; of the others is told why not."""
        allowed = self.budget.count_tools(len(calls))
        kept: list[Any] = []
        notes: list[str] = []
        for call in calls[:allowed]:
            fault = self._fault_of(call, names)
            if fault is None:
                self._numbered += 1
                name = f"call_{self._numbered}"
                kept.append(call.model_copy(update={"call_id": name, "id": name}))
            elif len(notes) < _MOST_NOTES:
                notes.append(fault)
        if len(calls) > allowed:
            notes.append(f"{len(calls) - allowed} tool calls were left out: no more are allowed at once, or at all")
        return kept, notes

    def _fault_of(self, call: Any, names: set[str]) -> str | None:
        if call.name not in names:
            return f"there is no tool {str(call.name)[:40]!r}" + (f"; use {', '.join(sorted(names))}" if names else "")
        most = self.budget.limits.argument_characters
        if len(call.arguments or "") > most:
            return f"the arguments of {call.name} have {len(call.arguments)} characters; at most {most} are read"
        return f"the arguments of {call.name} are nested too deeply" if _too_deep(call.arguments or "") else None

    def _book(self, answer: Any, ticket: Ticket) -> None:
        written = "".join(_texts(answer.output)) + "".join(
            f"{item.name}{item.arguments}" for item in answer.output if item.type == "function_call"
        )
        used = answer.usage
        estimated, counted = estimate_tokens(written), _count(used.output_tokens)
        self.budget.settle(ticket, _count(used.input_tokens), max(estimated, counted))
        if counted > ticket.output_tokens or estimated > _OVER * ticket.output_tokens:
            raise Unusable(f"your answer was too long: at most {ticket.output_tokens} tokens are read")

    def _with_notes(self, items: list[Any]) -> list[Any]:
        notes = self._taken_notes()
        return [*items, {"role": "user", "content": noted(notes)}] if notes else items

    def _taken_notes(self) -> list[str]:
        notes, self._notes = self._notes, []
        return notes


def _too_deep(arguments: str) -> bool:
    """Whether reading the JSON would break whoever reads it; what is no JSON at all is told by the tool itself."""
    try:
        json.loads(arguments)
    except RecursionError:
        return True
    except ValueError:
        return False
    return False


def _texts(output: Sequence[Any]) -> list[str]:
    parts = [part for item in output if item.type == "message" for part in item.content]
    return [str(getattr(part, "text", "") or "") for part in parts]


def _nothing_said(output: Sequence[Any]) -> str:
    parts = [part for item in output if item.type == "message" for part in item.content]
    refusals = [str(part.refusal) for part in parts if getattr(part, "refusal", None)]
    return f"you refused: {refusals[0][:200]}" if refusals else "your answer was empty"


def _size(instructions: str, items: Sequence[Any], tools: Sequence[Any]) -> int:
    """About how many tokens a request has, errs high."""
    written = json.dumps([instructions, list(items), list(tools)], ensure_ascii=False, default=str)
    return estimate_tokens(written) + _FIXED_TOKENS * (1 + len(items))


def _count(tokens: object) -> int:
    return max(0, tokens) if isinstance(tokens, int) else 0


def _pause(failures: int) -> float:
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (failures - 1)) * random.uniform(0.5, 1.0)
