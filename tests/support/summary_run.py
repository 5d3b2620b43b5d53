"""Runs a summary against a scripted model, and sees to it that nothing is left running behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from hybridkb.errors import SummaryFailed
from hybridkb.knowledge.paper_artifacts import PaperGlobalSummary
from hybridkb.papers.summary_agent import summarise
from hybridkb.papers.summary_config import SummaryConfig, SummaryLimits
from support.scripted_model import ScriptedModel
from support.small_paper import small_paper

KEY = "sk-secret-0123456789abcdef"
LIMITS = {one.name for one in fields(SummaryLimits)}


def settings(model: ScriptedModel, **settings: Any) -> SummaryConfig:
    """Settings for the scripted model; limits may be named among them. The paper is never shown at once."""
    limits = {"tool_characters": 3_000, **{name: settings.pop(name) for name in list(settings) if name in LIMITS}}
    return SummaryConfig(
        **{"model": "scripted", "base_url": model.url, "api_key": KEY, **settings}, limits=SummaryLimits(**limits)
    )


def summarise_now(
    model: ScriptedModel,
    *,
    paper: Any = None,
    progress: Callable[[str, int, int], None] | None = None,
    client: Any = None,
    **others: Any,
) -> PaperGlobalSummary:
    """Make a summary; afterwards no task may be left."""

    async def run() -> PaperGlobalSummary:
        source, chunks = paper or small_paper()
        try:
            return await summarise(source, chunks, settings(model, **others), progress=progress, client=client)
        finally:
            assert asyncio.all_tasks() == {asyncio.current_task()}

    return asyncio.run(run())


def failing(model: ScriptedModel, **others: Any) -> SummaryFailed:
    """Make a summary that fails, and return why."""
    with pytest.raises(SummaryFailed) as caught:
        summarise_now(model, **others)
    return caught.value
