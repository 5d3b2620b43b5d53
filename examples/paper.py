"""A paper of arXiv with a real model, to be run by hand: fetch, summarise, store, search, reopen, and check what came.

    HYBRIDKB_SUMMARY_KEY=... python examples/paper.py            # or OPENAI_API_KEY; HYBRIDKB_SUMMARY_MODEL, _URL
    python examples/paper.py path/to/1706.03762v7.pdf            # the same from a file

Passages are embedded by text-embedding-3-small where OPENAI_API_KEY is set, else by the local model. All of it takes at
most :data:`MOST_SECONDS`, else it fails. Without a key it says so and does nothing.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from hybridkb import AsyncHybridLibrary
from hybridkb.papers import ArxivIdentifier, PaperChunk, PaperFlowConfig, PaperFlowResult, SummaryLimits, paper_flow

PAPER = ArxivIdentifier(id="1706.03762v7")
MOST_SECONDS = 600
PASSAGES = "How does multi-head attention work?"
SUMMARY = "What is the paper's central contribution?"
COVERED = {
    "an architecture of attention alone": r"attention",
    "no recurrence and no convolution": r"recurren.*convolution|convolution.*recurren",
    "encoder and decoder, or several heads": r"encoder|decoder|multi-?\s?head",
    "the reported result": r"BLEU|translation|train\w* (?:time|cost|faster)",
}
"""What a true summary of this paper says, and words that show it."""


async def main() -> None:
    if not any(os.environ.get(name) for name in ("HYBRIDKB_SUMMARY_KEY", "OPENAI_API_KEY", "HYBRIDKB_SUMMARY_URL")):
        print("set HYBRIDKB_SUMMARY_KEY or OPENAI_API_KEY to run this; paper_offline.py needs neither")
        return
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else PAPER
    async with asyncio.timeout(MOST_SECONDS):
        with tempfile.TemporaryDirectory() as folder:
            await run(source, Path(folder) / "papers.db")


async def run(source: ArxivIdentifier | Path, path: Path) -> None:
    limits = SummaryLimits(seconds=MOST_SECONDS / 2)
    result = await paper_flow(source, PaperFlowConfig(limits=limits), progress=tell)
    check(result)
    embedder = "openai:text-embedding-3-small" if os.environ.get("OPENAI_API_KEY") else "local"
    async with await AsyncHybridLibrary.open(path, embedder=embedder) as library:
        report = await library.put_paper(result)
        print(f"stored: {report.records} records, {report.embedded} texts embedded by {embedder}")
        first = await ask(library)
    async with await AsyncHybridLibrary.open(path, embedder=embedder) as library:
        again = await library.put_paper(result)
        assert again.embedded == 0, "nothing is embedded again"
        assert await ask(library, quiet=True) == first, "the same answers after reopening"
    print("reopened: the same answers, nothing embedded again")


def check(result: PaperFlowResult) -> None:
    """Print the summary, and fail unless it covers the paper and cites enough of it."""
    summary = result.summary
    assert summary is not None
    print(f"\n{result.source.title} ({result.source.arxiv_id}): {len(result.source.pages)} pages, "
          f"{len(result.chunk_set.chunks)} passages\n\n{summary.text}\n")  # fmt: skip
    for one in summary.cited:
        chunk = result.chunk_set.chunk(one.chunk_id)
        assert chunk is not None
        assert one.page in chunk.pages
        print(f"cites {one.chunk_id}, page {one.page}, under {' / '.join(chunk.heading)}")
    print(f"used: {summary.use.calls} calls, {summary.use.input_tokens:,} tokens in, {summary.use.output_tokens:,} out")
    missing = [what for what, words in COVERED.items() if not re.search(words, summary.text, re.IGNORECASE | re.DOTALL)]
    assert not missing, f"the summary does not tell of {', '.join(missing)}"
    assert len({one.chunk_id for one in summary.cited}) >= 3
    assert len({one.page for one in summary.cited}) >= 2
    assert len(result.source.pages) == 15


async def ask(library: AsyncHybridLibrary, *, quiet: bool = False) -> list[tuple[str, float]]:
    """Ask for passages and for the summary; locators and scores."""
    passages = await library.search(PASSAGES, artifact_kinds=["paper_chunk_set"], top_k=5)
    summaries = await library.search(SUMMARY, artifact_kinds=["paper_summary"], top_k=3)
    found = [await library.resolve(hit.locator) for hit in passages]
    under = [one.heading for one in found if isinstance(one, PaperChunk)]
    assert any("Multi-Head Attention" in heading for heading in under), under
    assert summaries
    for hit, one in zip(passages, found, strict=True):
        if not quiet and isinstance(one, PaperChunk):
            print(f"{hit.score:.4f}  {hit.locator}  page {one.page}  {' / '.join(one.heading)}")
    return [(str(hit.locator), hit.score) for hit in (*passages, *summaries)]


def tell(step: str, done: int, total: int | None) -> None:
    if done == total:
        print(f"{step}: done, {total}")


if __name__ == "__main__":
    asyncio.run(main())
