"""The OpenAI Agents SDK's view of the gate: a model for its runner that asks through us, and answers in plain text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from hybridkb.papers.summary_agent_client import explain
from hybridkb.papers.summary_config import OPENAI_HOST, SummaryService
from hybridkb.papers.summary_gate import Gate, Question
from hybridkb.papers.summary_output import SCHEMA, SCHEMA_NAME
from hybridkb.papers.summary_tools import FORMS, Tools, form_of


def make_model(gate: Gate, client: Any, service: SummaryService, *, part: bool) -> Any:
    """Make the model of an agent: the main one, or one that reads a part."""
    from agents import Model, OpenAIChatCompletionsModel

    inner = OpenAIChatCompletionsModel(model=service.model, openai_client=client)
    seconds = gate.budget.limits.request_seconds

    class GatedModel(Model):
        """Every request of the runner goes through the gate."""

        async def get_response(
            self, system_instructions: str | None, input: Any, model_settings: Any, tools: list[Any],
            output_schema: Any, handoffs: list[Any], tracing: Any, **others: Any,
        ) -> Any:  # fmt: skip
            async def send(question: Question) -> Any:
                settings = _settings(model_settings, question, service)
                schema = output_schema if question.form else None
                try:
                    async with asyncio.timeout(seconds):
                        return await inner.get_response(
                            question.instructions, question.items, settings, tools, schema, handoffs, tracing, **others
                        )
                except Exception as error:
                    return explain(error, service, seconds=seconds)

            items = [{"role": "user", "content": input}] if isinstance(input, str) else list(input)
            forms = [{"name": tool.name, "about": tool.description, "form": tool.params_json_schema} for tool in tools]
            return await gate.ask(
                send, system_instructions or "", items, forms, part=part, form=output_schema is not None
            )

        def stream_response(self, *arguments: Any, **named: Any) -> Any:
            raise NotImplementedError("a summary is not streamed")

    return GatedModel()


def make_output_form() -> Any:
    """Make what asks for a summary's form by schema; the text comes back as it is, and is read by us."""
    from agents import AgentOutputSchemaBase

    class OutputForm(AgentOutputSchemaBase):
        """The schema of a summary."""

        def is_plain_text(self) -> bool:
            return False

        def name(self) -> str:
            return SCHEMA_NAME

        def json_schema(self) -> dict[str, Any]:
            return SCHEMA

        def is_strict_json_schema(self) -> bool:
            return True

        def validate_json(self, json_str: str) -> str:
            return json_str

    return OutputForm()


def make_tools(tools: Tools) -> list[Any]:
    """Make the tools of an agent."""
    from agents import FunctionTool

    def bound(name: str) -> Callable[[Any, str], Awaitable[str]]:
        async def invoke(_context: Any, arguments: str) -> str:
            return await tools.call(name, arguments)

        return invoke

    return [
        FunctionTool(name=name, description=about, params_json_schema=form_of(name), on_invoke_tool=bound(name))
        for name, (about, _kind, _form) in FORMS.items()
    ]


def _settings(settings: Any, question: Question, service: SummaryService) -> Any:
    """What goes with one request. OpenAI is told to keep nothing; other services may not know the word."""
    by_other_name = question.length_name != "max_tokens"
    return replace(
        settings,
        max_tokens=None if by_other_name else question.max_tokens,
        extra_args={question.length_name: question.max_tokens} if by_other_name else None,
        tool_choice="none" if question.forbid_tools else None,
        store=False if service.host == OPENAI_HOST else None,
    )
