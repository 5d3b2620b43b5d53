"""One summary of one paper: a model reads passages through bounded tools, and code decides what becomes of its answer.

    config = SummaryConfig(model="gpt-4o-mini", base_url="http://127.0.0.1:8080/v1")
    summary = await summarise(source, chunk_set, config, progress=print)

The OpenAI Agents SDK runs the conversation (extra ``papers``), with its tracing switched off: nothing is sent but to
the service. Ids, source, lineage and citations are made here; of the model's answer only the text is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from hybridkb.errors import InvalidInput, MissingExtra, SummaryFailed
from hybridkb.knowledge.paper_artifacts import PaperChunkSet, PaperGlobalSummary, TokenUse
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.papers.summary_agent_client import make_client
from hybridkb.papers.summary_agent_run import SummaryRun
from hybridkb.papers.summary_checks import Accepted, citations_of
from hybridkb.papers.summary_config import (
    PRODUCER,
    PRODUCER_VERSION,
    SummaryConfig,
    SummaryService,
    service_of,
    summary_configuration,
)
from hybridkb.papers.summary_failures import failed
from hybridkb.papers.summary_prompt import PROMPT_VERSION

_SHORTEST_SECRET = 8

Progress = Callable[[str, int, int], None]
"""Called with what is counted (``"model calls"``, ``"passages read"``), how many, and how many there may be."""


async def summarise(
    source: PaperSourceRevision,
    chunk_set: PaperChunkSet,
    config: SummaryConfig | None = None,
    *,
    progress: Progress | None = None,
    client: Any = None,
) -> PaperGlobalSummary:
    """Have a paper summarised from its passages. May be cancelled at any time; no task goes on behind it.

    Args:
        source: the exact paper.
        chunk_set: its passages; the summary cites them.
        config: model, service and limits.
        progress: called after each request; what it raises ends the run, and comes out.
        client: an ``openai.AsyncOpenAI`` of your own; where it sends, and how often it tries again, is its business.

    Raises:
        SummaryFailed: no acceptable summary was made within the limits, or the service failed.
        InvalidInput: the passages are not of this paper, or there is no key for OpenAI.
        MissingExtra: the OpenAI Agents SDK is not installed.
    """
    config = config or SummaryConfig()
    _check_belongs(source, chunk_set)
    if find_spec("agents") is None:
        raise MissingExtra('summaries need the OpenAI Agents SDK: pip install "hybridkb[papers]"', extra="papers")
    service = service_of(config)
    limits = config.limits
    own = None
    if client is None:
        own = make_client(service, seconds=limits.request_seconds, response_bytes=limits.response_bytes)
    try:
        run = SummaryRun(source, chunk_set, config, service, own or client, progress or _nobody)
        accepted = await _finished(run, service, limits.seconds)
    finally:
        if own is not None:
            await own.close()
    return _made(source, chunk_set, config, service, accepted, run)


async def _finished(run: SummaryRun, service: SummaryService, seconds: float) -> Accepted:
    """Run to the end, or to the end of the time; every fault comes out in our words, chained to nothing."""
    clock = asyncio.timeout(seconds)
    fault: Exception
    try:
        async with clock:
            return await run.finish()
    except SummaryFailed:
        raise
    except Exception as error:
        fault = error
    finally:
        await run.stop()
    if run.gate.fault is not None:
        raise run.gate.fault
    raise failed(fault, run, service, out_of_time=clock.expired())


def _made(
    source: PaperSourceRevision, chunk_set: PaperChunkSet, config: SummaryConfig, service: SummaryService,
    accepted: Accepted, run: SummaryRun,
) -> PaperGlobalSummary:  # fmt: skip
    budget = run.gate.budget
    return PaperGlobalSummary.made(
        producer=PRODUCER,
        producer_version=PRODUCER_VERSION,
        configuration=summary_configuration(config),
        model=service.model,
        prompt_version=PROMPT_VERSION,
        source_id=source.id,
        source=source.source,
        parse_hash=chunk_set.parse_hash,
        as_of=source.as_of,
        available_at=source.available_at,
        lineage=(chunk_set.id,),
        chunk_set_id=chunk_set.id,
        text=_without_secret(accepted.text, service.api_key),
        cited=accepted.cited,
        citations=citations_of(accepted.cited, chunk_set, source.id),
        use=TokenUse(calls=budget.calls, input_tokens=budget.input_tokens, output_tokens=budget.output_tokens),
    )


def _without_secret(text: str, api_key: str | None) -> str:
    """Blot out the key. Words that stand in for one where a service of one's own needs none ("none") are no secret."""
    return text.replace(api_key, "***") if api_key and len(api_key) >= _SHORTEST_SECRET else text


def _check_belongs(source: PaperSourceRevision, chunk_set: PaperChunkSet) -> None:
    if chunk_set.source_id != source.id:
        raise InvalidInput("the chunk set is of another paper", field="chunk_set")
    if chunk_set.parse_hash != source.parse_hash:
        raise InvalidInput("the chunk set is of another reading of this paper; split it again", field="chunk_set")
    if not chunk_set.chunks:
        raise InvalidInput("the chunk set is empty: there is nothing to summarise", field="chunk_set")


def _nobody(_step: str, _done: int, _total: int) -> None:
    """Nobody watches."""
