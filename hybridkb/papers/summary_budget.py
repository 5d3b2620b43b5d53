"""Counts what a summary has used, and says no before a limit is passed.

Tokens are estimated before a request is sent, by an estimate that errs high, and promised; afterwards the larger of
estimate and the service's own count is booked. Everything runs in one event loop, so nothing here needs a lock.
"""

from __future__ import annotations

from dataclasses import dataclass

from hybridkb.papers.summary_config import SummaryLimits

LEAST_ANSWER = 300
"""A request is not sent when fewer tokens than this, or than ``answer_tokens``, are left to answer it."""

CALLS_AT_ONCE = 16
"""Tools that may be called in one answer."""

CALL_ROOM = 150
"""Tokens that a tool call and its mark take in the next request, when the tool answers nothing but no."""


class LimitReached(Exception):
    """A limit would be, or was, passed.

    Attributes:
        limit: the field of ``SummaryLimits``.
    """

    def __init__(self, limit: str, told: str) -> None:
        super().__init__(told)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Ticket:
    """A request that may be sent.

    Attributes:
        input_tokens: promised for what it says. output_tokens: promised for its answer, sent as ``max_tokens``.
    """

    input_tokens: int
    output_tokens: int


class Budget:
    """What one summary has used.

    Attributes:
        calls: requests sent. tool_calls: tools asked for.
        input_tokens, output_tokens: booked.
    """

    def __init__(self, limits: SummaryLimits) -> None:
        self.limits = limits
        self.calls = 0
        self.tool_calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self._promised_input = 0
        self._promised_output = 0
        self._main_request = 0
        self._read_since = 0

    def admit(self, request_tokens: int, *, part: bool = False) -> Ticket:
        """Promise room for a request, which counts as sent from now on.

        Args:
            request_tokens: its estimated size.
            part: it is for a part: what the main conversation needs to come to an end stays free.

        Raises:
            LimitReached: there is no room.
        """
        limits = self.limits
        kept_calls, kept_input, kept_output = (2, 2 * self._main_request, limits.answer_tokens) if part else (0, 0, 0)
        if self.calls + 1 + kept_calls > limits.model_calls:
            raise LimitReached("model_calls", f"{self.calls} requests were sent")
        if request_tokens > limits.request_tokens:
            raise LimitReached("request_tokens", f"the next request has about {request_tokens:,} tokens")
        if self._spoken_for_input + request_tokens + kept_input > limits.input_tokens:
            raise LimitReached("input_tokens", f"the next request has about {request_tokens:,} tokens")
        room = limits.output_tokens - self._spoken_for_output - kept_output
        if room < self._least_answer:
            raise LimitReached("output_tokens", f"{max(room, 0):,} tokens are left for the next answer")
        ticket = Ticket(request_tokens, min(limits.answer_tokens, room))
        self.calls += 1
        self._promised_input += ticket.input_tokens
        self._promised_output += ticket.output_tokens
        if not part:
            self._main_request = request_tokens
            self._read_since = 0
        return ticket

    def settle(self, ticket: Ticket, input_tokens: int, output_tokens: int) -> None:
        """Book what a request used: the larger of promise and count for what it said, the count for its answer.

        Raises:
            LimitReached: more was used than the limits allow.
        """
        self.give_back(ticket)
        self.input_tokens += max(ticket.input_tokens, input_tokens)
        self.output_tokens += output_tokens
        for limit, used in (("input_tokens", self.input_tokens), ("output_tokens", self.output_tokens)):
            if used > getattr(self.limits, limit):
                raise LimitReached(limit, f"the service counts {used:,}")

    def give_back(self, ticket: Ticket) -> None:
        """Take the promise back: the service refused the request, and read and wrote nothing."""
        self._promised_input -= ticket.input_tokens
        self._promised_output -= ticket.output_tokens

    def abandon(self, ticket: Ticket) -> None:
        """Book what a request said that came to no answer: the service may have read it."""
        self.give_back(ticket)
        self.input_tokens += ticket.input_tokens

    def count_tools(self, asked: int) -> int:
        """Count tools that the model asks for in one answer, and return how many of them may run."""
        allowed = max(0, min(asked, CALLS_AT_ONCE, self.limits.tool_calls - self.tool_calls))
        self.tool_calls += asked
        return allowed

    def last_because(self, request_tokens: int) -> str | None:
        """Which limit makes a request of this size the last of the main conversation; None when none does."""
        limits = self.limits
        after = self._spoken_for_input + request_tokens
        if self.calls + 1 >= limits.model_calls:
            return "model_calls"
        if self.tool_calls >= limits.tool_calls:
            return "tool_calls"
        if request_tokens + self._reading_room > limits.request_tokens:
            return "request_tokens"
        if after + request_tokens + self._reading_room > limits.input_tokens:
            return "input_tokens"
        if limits.output_tokens - self._spoken_for_output < 2 * self._least_answer:
            return "output_tokens"
        return None

    def take_room(self, tokens: int) -> bool:
        """Keep room in the main conversation's next request for what a tool answers; False when there is none."""
        room = self.limits.input_tokens - self._spoken_for_input - self._main_request
        room = min(room, self.limits.request_tokens - self._main_request) - self._reading_room - self._read_since
        if tokens > room:
            return False
        self._read_since += tokens
        return True

    @property
    def _reading_room(self) -> int:
        """What one more answer of the main model may add to its next request; without that room a call is the last."""
        return self.limits.answer_tokens + CALLS_AT_ONCE * CALL_ROOM

    @property
    def _least_answer(self) -> int:
        return min(LEAST_ANSWER, self.limits.answer_tokens)

    @property
    def _spoken_for_input(self) -> int:
        return self.input_tokens + self._promised_input

    @property
    def _spoken_for_output(self) -> int:
        return self.output_tokens + self._promised_output
