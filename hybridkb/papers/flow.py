"""The paper flow: fetch, read, split, tree, summary, in this order; everything of it, or an error and nothing.

Blocking work runs in threads, so that the event loop goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from hybridkb.errors import InvalidInput, MissingExtra, SummaryFailed
from hybridkb.knowledge.paper_artifacts import PaperChunkSet, PaperGlobalSummary
from hybridkb.knowledge.paper_result import PaperFlowResult
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.papers.arxiv_id import ArxivIdentifier
from hybridkb.papers.fetching import PaperFetcher
from hybridkb.papers.flow_config import PaperFlowConfig
from hybridkb.papers.obtaining import PaperSource, check_there, named_paper, obtain
from hybridkb.papers.revision import read_revision
from hybridkb.papers.splitter import split
from hybridkb.papers.stopping import check_wanted, in_thread
from hybridkb.papers.summary_config import SummaryConfig, service_of
from hybridkb.papers.tree import build_tree

FlowStep = Literal["fetch", "read", "split", "tree", "summary"]
"""The steps of the flow, in their order."""

FlowProgress = Callable[[FlowStep, int, int | None], None]
"""Called on the event loop with a step, how much of it is done, and of how much; None when that is unknown."""

T = TypeVar("T")


class Summarise(Protocol):
    """Makes the summary; the seam for tests and for summaries of one's own."""

    def __call__(
        self, source: PaperSourceRevision, chunk_set: PaperChunkSet, config: SummaryConfig, *,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Awaitable[PaperGlobalSummary]:  # fmt: skip
        """Summarise a paper from its passages.

        ``progress`` is called with what is counted (``"passages read"``), how many, and how many there may be.

        Raises:
            SummaryFailed: no acceptable summary was made.
        """
        ...


async def paper_flow(
    source: PaperSource,
    config: PaperFlowConfig | None = None,
    *,
    fetcher: PaperFetcher | None = None,
    progress: FlowProgress | None = None,
    summarise: Summarise | None = None,
) -> PaperFlowResult:
    """Make a paper of arXiv, of a file or of bytes into its source, passages, sections and cited summary.

    ``HybridLibrary.put_paper`` stores the result. Nothing is written here, and a step that fails fails the flow.

    Args:
        source: an ``ArxivIdentifier``; text, which is an identifier if it can be read as one, else a path; a ``Path``;
            or the bytes of a PDF.
        config: how; by default with a summary by the model that the environment names.
        fetcher: gets papers from elsewhere than arXiv.
        progress: told of each step.
        summarise: makes the summary instead of the agent.

    Raises:
        InvalidInput: the source or the configuration has a fault, or the model's service needs a key.
        NotFound: arXiv has no such paper. FetchFailed: it cannot be had now.
        UnreadableDocument: it is no PDF that can be read, or shows no text.
        SummaryFailed: no acceptable summary was made.
        MissingExtra: a package of the extra ``papers`` is not installed.
    """
    config = config or PaperFlowConfig()
    named = check_can_start(source, config, summarise)
    tell = _Teller(progress)
    tell("fetch", 0, None)
    paper = await in_thread(obtain, named, fetcher, lambda: datetime.now(UTC))
    tell("fetch", 1, 1)
    revision, blobs = await in_thread(read_revision, paper, config, tell.from_thread("read"))
    chunk_set = await tell.during("split", split, revision, config.splitter, variant=config.variant)
    tree = await tell.during("tree", build_tree, revision, variant=config.variant) if config.tree else None
    summary = await _summary(revision, chunk_set, config, summarise, tell) if config.summarise else None
    return PaperFlowResult(source=revision, chunk_set=chunk_set, summary=summary, tree=tree, blobs=blobs)


def paper_flow_sync(
    source: PaperSource,
    config: PaperFlowConfig | None = None,
    *,
    fetcher: PaperFetcher | None = None,
    progress: FlowProgress | None = None,
    summarise: Summarise | None = None,
) -> PaperFlowResult:
    """The same as :func:`paper_flow`, where no event loop runs."""
    return asyncio.run(paper_flow(source, config, fetcher=fetcher, progress=progress, summarise=summarise))


def check_can_start(
    source: PaperSource, config: PaperFlowConfig, summarise: Summarise | None = None
) -> ArxivIdentifier | Path | bytes:
    """Refuse before anything is fetched, read or made what could only fail; return what the source is.

    Raises:
        InvalidInput, UnreadableDocument, MissingExtra: as :func:`paper_flow`.
    """
    named = named_paper(source)
    if isinstance(named, Path):
        check_there(named)
    if config.summarise and summarise is None:
        _check_summary_can_start(config)
    return named


def _check_summary_can_start(config: PaperFlowConfig) -> None:
    if find_spec("agents") is None:
        raise MissingExtra(
            'summaries need the extra "papers": pip install "hybridkb[papers]"; '
            "summarise=False (--no-summary) makes none",
            extra="papers",
        )
    service = service_of(config.summary_config())
    if not service.api_key and service.base_url is None:
        raise InvalidInput(
            "a summary by OpenAI needs a key: set HYBRIDKB_SUMMARY_KEY or OPENAI_API_KEY, or give base_url, a service "
            "of your own; summarise=False (--no-summary) makes none",
            field="api_key",
        )


async def _summary(
    source: PaperSourceRevision, chunk_set: PaperChunkSet, config: PaperFlowConfig, summarise: Summarise | None,
    tell: _Teller,
) -> PaperGlobalSummary:  # fmt: skip
    if summarise is None:
        from hybridkb.papers.summary_agent import summarise as by_agent

        summarise = by_agent
    tell("summary", 0, None)
    summary = await summarise(source, chunk_set, config.summary_config(), progress=tell.passages_read)
    _check_summary(summary, source, chunk_set)
    tell("summary", len(chunk_set.chunks), len(chunk_set.chunks))
    said = {"tags": source.tags, "confidence": source.confidence, "provenance": source.provenance}
    return summary.model_copy(update=said)


def _check_summary(summary: PaperGlobalSummary, source: PaperSourceRevision, chunk_set: PaperChunkSet) -> None:
    """Whoever made it: a summary is of this paper, made from these passages, and cites what is there.

    Raises:
        SummaryFailed: it is not.
    """
    pages = {chunk.chunk_id: chunk.pages for chunk in chunk_set.chunks}
    faults = [
        f"it cites {one.chunk_id} on page {one.page}, which is not there"
        for one in summary.cited
        if one.page not in pages.get(one.chunk_id, ())
    ]
    if (summary.source_id, summary.chunk_set_id) != (source.id, chunk_set.id):
        faults.append("it is of another paper, or was made from other passages")
    if faults:
        raise SummaryFailed(f"the summary is refused: {'; '.join(faults)}", reason="answer", faults=faults)


class _Teller:
    """Tells of progress on the event loop, also from threads."""

    def __init__(self, progress: FlowProgress | None) -> None:
        self._progress = progress
        self._loop = asyncio.get_running_loop()

    def __call__(self, step: FlowStep, done: int, total: int | None) -> None:
        if self._progress is not None:
            self._progress(step, done, total)

    def passages_read(self, what: str, done: int, total: int) -> None:
        """Tell how far the summary has come."""
        if what == "passages read":
            self("summary", done, total)

    def from_thread(self, step: FlowStep) -> Callable[[int, int], None]:
        """Tells of one step, from another thread."""

        def tell(done: int, total: int) -> None:
            check_wanted()
            self._loop.call_soon_threadsafe(self, step, done, total)

        return tell

    async def during(self, step: FlowStep, work: Callable[..., T], *args: Any, **named: Any) -> T:
        """Do one piece of blocking work in a thread, and tell before and after."""
        self(step, 0, 1)
        made = await in_thread(work, *args, **named)
        self(step, 1, 1)
        return made
