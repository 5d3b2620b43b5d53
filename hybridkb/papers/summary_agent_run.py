"""One run of the summarising agent: ask, judge, tell what is wrong, ask again; parts are read beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from hybridkb.embedders.token_estimate import estimate_tokens
from hybridkb.knowledge.paper_artifacts import PaperChunkSet
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.papers.summary_agent_model import make_model, make_output_form, make_tools
from hybridkb.papers.summary_budget import Budget, LimitReached
from hybridkb.papers.summary_checks import Accepted, judge, least_cited
from hybridkb.papers.summary_config import SummaryConfig, SummaryService
from hybridkb.papers.summary_failures import GivenUp
from hybridkb.papers.summary_gate import Gate, ServiceFault, Unusable
from hybridkb.papers.summary_output import read_draft
from hybridkb.papers.summary_prompt import instructions, opening, part_instructions, refused
from hybridkb.papers.summary_reading import LEAST_SHOWN, Reading
from hybridkb.papers.summary_tools import Tools

_PART_CHARACTERS = 3_000
"""Characters of the notes on a part, at most; fewer where a tool may not answer so much."""

_PART_TOKENS = 2_000
_MARKS = 400
"""Characters that stand around each passage, at most."""


class SummaryRun:
    """A run from the first message to the accepted answer.

    Attributes:
        gate: what every request goes through, with the counts.
        reading: the paper, as far as it was read.
    """

    def __init__(
        self,
        source: PaperSourceRevision,
        chunk_set: PaperChunkSet,
        config: SummaryConfig,
        service: SummaryService,
        client: Any,
        progress: Callable[[str, int, int], None],
    ) -> None:
        """Get everything ready; nothing is sent yet."""
        self._config = config
        self._limits = config.limits
        self._chunk_set = chunk_set
        self._progress = progress
        self.reading = Reading(source, chunk_set, config.limits.tool_characters)
        self.gate = Gate(
            Budget(config.limits),
            form=config.structured != "plain",
            may_drop_form=config.structured == "auto",
            progress=self._show,
        )
        self._main_model = make_model(self.gate, client, service, part=False)
        self._part_model = make_model(self.gate, client, service, part=True)
        self._part_tasks: set[asyncio.Task[str]] = set()

    async def finish(self) -> Accepted:
        """Ask until an answer is accepted.

        Raises:
            LimitReached, ServiceFault: no further request is possible.
            GivenUp: too many answers were refused.
        """
        self.gate.show()
        whole = self.reading.whole()
        agent = self._agent(whole=whole is not None)
        material = whole or self.reading.listed()
        items: list[Any] = [_user(opening(self.reading.about(), material, whole=whole is not None))]
        faults: list[str] = []
        for _ in range(self._limits.answers):
            try:
                answer, items = await self._asked(agent, items)
            except Unusable as error:
                faults, items = [str(one) for one in error.args], list(self.gate.conversation)
            else:
                verdict = self._judged(answer)
                if isinstance(verdict, Accepted):
                    return verdict
                faults = verdict
            items = [*items, _user(refused(faults))]
        raise GivenUp(faults)

    async def stop(self) -> None:
        """See to it that nothing of this run goes on."""
        left = [task for task in self._part_tasks if not task.done()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _asked(self, agent: Any, items: list[Any]) -> tuple[str, list[Any]]:
        from agents import Runner

        result = await Runner.run(agent, items, max_turns=self._limits.model_calls + 1, run_config=_untraced())
        return str(result.final_output or ""), list(result.to_input_list())

    def _judged(self, answer: str) -> Accepted | list[str]:
        draft = read_draft(answer)
        return draft if isinstance(draft, list) else judge(draft, self._chunk_set, self.reading.read, self._limits)

    def _agent(self, *, whole: bool) -> Any:
        from agents import Agent, ModelSettings

        chunks, pages = least_cited(self._chunk_set, self._limits)
        kit = Tools(self.reading, self.gate.budget, self._read_part)
        return Agent(
            name="summary",
            instructions=instructions(
                self.reading.fence, whole=whole, chunks=chunks, pages=pages, most=self._limits.most_cited
            ),
            model=self._main_model,
            model_settings=ModelSettings(temperature=self._config.temperature),
            tools=[] if whole else make_tools(kit),
            output_type=make_output_form(),
        )

    async def _read_part(self, ids: list[str], question: str) -> str:
        """Have passages summarised in a call of its own; what goes wrong with it is told, and ends nothing."""
        return await self._tracked(self._part(ids, question))

    async def _tracked(self, work: Coroutine[Any, Any, str]) -> str:
        task = asyncio.create_task(work)
        self._part_tasks.add(task)
        task.add_done_callback(self._part_tasks.discard)
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def _part(self, ids: list[str], question: str) -> str:
        from agents import Agent, ModelSettings, Runner

        material, shown = self.reading.text_of(ids, characters=self.reading.size_of(ids) + _MARKS * (len(ids) + 2))
        if estimate_tokens(material) + _PART_TOKENS > self._limits.request_tokens:
            return "Not done: these passages are too long to be read at once; name fewer."
        asked = f"\n\nAbove all: {self.reading.quote(question)}" if question.strip() else ""
        agent = Agent(
            name="part",
            instructions=part_instructions(self.reading.fence),
            model=self._part_model,
            model_settings=ModelSettings(temperature=self._config.temperature),
        )
        try:
            items: list[Any] = [_user(material + asked)]
            result = await Runner.run(agent, items, max_turns=1, run_config=_untraced())
        except (LimitReached, ServiceFault, Unusable) as error:
            return f"Not done: {error}."
        self.reading.mark(shown)
        room = min(_PART_CHARACTERS, self._limits.tool_characters - LEAST_SHOWN)
        return self.reading.quote(str(result.final_output or "")[:room])

    def _show(self) -> None:
        budget = self.gate.budget
        self._progress("model calls", budget.calls, self._limits.model_calls)
        self._progress("passages read", len(self.reading.read), len(self._chunk_set.chunks))


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _untraced() -> Any:
    from agents import RunConfig

    return RunConfig(tracing_disabled=True, trace_include_sensitive_data=False, workflow_name="hybridkb")
