"""Every way in which a summary can fail, as one typed error: which limit, how far it got, how to raise it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridkb.embedders.service_shown import without_key
from hybridkb.errors import SummaryFailed
from hybridkb.papers.summary_budget import LimitReached
from hybridkb.papers.summary_config import SummaryService
from hybridkb.papers.summary_gate import ServiceFault
from hybridkb.text.quoting import one_line

if TYPE_CHECKING:
    from hybridkb.papers.summary_agent_run import SummaryRun

_TOLD = 400


class GivenUp(Exception):
    """As many answers were refused as may be.

    Attributes:
        faults: of the last one.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


def failed(fault: Exception, run: SummaryRun, service: SummaryService, *, out_of_time: bool) -> SummaryFailed:
    """Make the error that the caller gets."""
    limits = run.gate.budget.limits
    if out_of_time:
        return _limit("seconds", f"{limits.seconds:g} seconds have passed", run, service, temporary=True)
    if isinstance(fault, LimitReached):
        return _limit(fault.limit, str(fault), run, service)
    if isinstance(fault, GivenUp):
        told = f"{limits.answers} answers were refused, the last because {_safe(str(fault), service)}"
        return _limit("answers", told, run, service, reason="answer", faults=fault.faults)
    if isinstance(fault, ServiceFault):
        return _error(_safe(str(fault), service), run, service, reason="service", temporary=fault.temporary)
    told = f"the conversation with {service.model} broke off: {type(fault).__name__}: {_safe(str(fault), service)}"
    return _error(told, run, service, reason="service")


def _limit(
    limit: str, told: str, run: SummaryRun, service: SummaryService, *, reason: str = "limit",
    faults: Sequence[str] = (), temporary: bool = False,
) -> SummaryFailed:  # fmt: skip
    value = getattr(run.gate.budget.limits, limit)
    written = f"{value:,}" if isinstance(value, int) else f"{value:g}"
    told = f"limit {limit} ({written}): {told}; to raise it: SummaryLimits({limit}=...)"
    return _error(told, run, service, reason=reason, limit=limit, faults=faults, temporary=temporary)


def _error(
    told: str, run: SummaryRun, service: SummaryService, *, reason: str, limit: str | None = None,
    faults: Sequence[str] = (), temporary: bool = False,
) -> SummaryFailed:  # fmt: skip
    budget, reading = run.gate.budget, run.reading
    far = (
        f"{budget.calls} model calls, {budget.tool_calls} tool calls, {budget.input_tokens:,} tokens read, "
        f"{budget.output_tokens:,} written, {len(reading.read)} of {len(reading.chunk_set.chunks)} passages read"
    )
    return SummaryFailed(
        f"no summary was made: {told} (so far: {far})",
        reason=reason,
        limit=limit,
        model=service.model,
        calls=budget.calls,
        input_tokens=budget.input_tokens,
        output_tokens=budget.output_tokens,
        chunks_read=len(reading.read),
        faults=[_safe(one, service) for one in faults],
        temporary=temporary,
    )


def _safe(text: str, service: SummaryService) -> str:
    return without_key(one_line(text), service.api_key)[:_TOLD]
