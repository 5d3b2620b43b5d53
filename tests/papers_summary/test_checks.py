"""What becomes of an accepted answer, and what the version of the prompt stands for."""

from __future__ import annotations

from hashlib import sha256

import pytest

from hybridkb.knowledge.paper_artifacts import ChunkCitation, PaperChunk, Span
from hybridkb.papers import summary_prompt
from hybridkb.papers.summary_checks import Accepted, citations_of, judge
from hybridkb.papers.summary_config import SummaryLimits
from hybridkb.papers.summary_output import Draft, DraftCitation
from support.scripted_model import SUMMARY
from support.small_paper import chunk_set, small_paper

PROMPT_OF_VERSION = {"1": "3d653509f9625abc"}


def test_another_prompt_has_another_version() -> None:
    texts = [getattr(summary_prompt, name) for name in sorted(vars(summary_prompt)) if name.isupper()]
    told = [summary_prompt.refused(["a"]), summary_prompt.noted(["a"]), summary_prompt.opening("a", "b", whole=True)]
    written = sha256("\0".join([*texts, *told]).encode()).hexdigest()[:16]
    assert PROMPT_OF_VERSION[summary_prompt.PROMPT_VERSION] == written, "a new prompt needs a new PROMPT_VERSION"


def test_a_quote_is_taken_from_the_page_that_is_cited() -> None:
    source, _ = small_paper(2, 1)
    first, second = (page.text for page in source.pages)
    spans = (Span(page=1, start=0, end=len(first)), Span(page=2, start=8, end=len(second)))
    chunk = PaperChunk(chunk_id="c0001", position=0, text=f"{first}\n\n{second[8:]}", spans=spans)
    chunks = chunk_set(source, [chunk])
    cited = [ChunkCitation(chunk_id="c0001", page=page) for page in (1, 2)]
    on_first, on_second = citations_of(cited, chunks, source.id)
    assert (on_first.page, on_first.char_offset, on_first.quote) == (1, 0, first[:500].strip())
    assert (on_second.page, on_second.char_offset) == (2, 8)
    assert second[8:].startswith(on_second.quote or "no quote")


@pytest.mark.parametrize("word", ["long", "x" * 3_000])
def test_a_long_quote_is_cut_between_words_if_it_can_be(word: str) -> None:
    source, chunks = small_paper(1, 1, texts={0: f"{word} " * 300})
    quote = citations_of([ChunkCitation(chunk_id="c0001", page=1)], chunks, source.id)[0].quote or ""
    assert 400 < len(quote) <= 500
    assert quote.endswith(word[:500])


def test_a_summary_that_repeats_a_phrase_of_the_paper_is_no_copy() -> None:
    source, chunks = small_paper(1, 1)
    text = f"{SUMMARY} They write: {' '.join(chunks.chunks[0].text.split()[:10])}."
    draft = Draft(summary=text, citations=[DraftCitation(chunk_id="c0001")])
    assert isinstance(judge(draft, chunks, {"c0001"}, SummaryLimits()), Accepted)
