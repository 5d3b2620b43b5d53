"""Judges a model's answer: only what rests on passages that were read, and enough of them, becomes a summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hybridkb.knowledge.paper_artifacts import ChunkCitation, PaperChunk, PaperChunkSet
from hybridkb.knowledge.source import MAX_QUOTE_CHARACTERS, Citation
from hybridkb.papers.summary_config import SummaryLimits
from hybridkb.papers.summary_output import Draft, DraftCitation
from hybridkb.text.quoting import clean, one_line

COPIED = 0.8
"""A summary is a copy when this share of its runs of eight words stands in the paper."""

_RUN = 8
_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r"(\D+)(\d{3,})")
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Accepted:
    """A summary that may be kept.

    Attributes:
        text: cleaned. cited: by code, from the passages that the model named.
    """

    text: str
    cited: tuple[ChunkCitation, ...]


def least_cited(chunk_set: PaperChunkSet, limits: SummaryLimits) -> tuple[int, int]:
    """How many passages, and how many pages, a summary of this paper must cite: the limits, or all there are."""
    pages = {page for chunk in chunk_set.chunks for page in chunk.pages}
    return min(limits.cited_chunks, len(chunk_set.chunks)), min(limits.cited_pages, len(pages))


def judge(draft: Draft, chunk_set: PaperChunkSet, read: Collection[str], limits: SummaryLimits) -> Accepted | list[str]:
    """Accept a draft, or say what is wrong with it, one sentence for each fault."""
    by_id = {chunk.chunk_id: chunk for chunk in chunk_set.chunks}
    text = _without_ids(clean(draft.summary).strip(), by_id)
    faults = _faults_of_text(text, chunk_set, limits)
    sound = [one for one in draft.citations if _sound(one, by_id)]
    cited = [ChunkCitation(chunk_id=one.chunk_id, page=_page(one, by_id)) for one in sound]
    faults += _faults_of_citations(draft.citations, by_id, read)
    if not faults:
        faults = _faults_of_coverage(cited, chunk_set, limits)
    return faults or Accepted(text, tuple(cited))


def citations_of(cited: Sequence[ChunkCitation], chunk_set: PaperChunkSet, source_id: object) -> tuple[Citation, ...]:
    """Repeat what is cited by page: where the passage begins there, and its words on that page."""
    by_id = {chunk.chunk_id: chunk for chunk in chunk_set.chunks}
    made = []
    for one in cited:
        start, words = _on_page(by_id[one.chunk_id], one.page)
        made.append(Citation(source_id=str(source_id), page=one.page, char_offset=start, quote=_quote(words)))
    return tuple(made)


def _sound(one: DraftCitation, by_id: dict[str, PaperChunk]) -> bool:
    chunk = by_id.get(one.chunk_id)
    return chunk is not None and (one.page is None or one.page in chunk.pages)


def _page(one: DraftCitation, by_id: dict[str, PaperChunk]) -> int:
    return by_id[one.chunk_id].page if one.page is None else one.page


def _faults_of_text(text: str, chunk_set: PaperChunkSet, limits: SummaryLimits) -> list[str]:
    if not text:
        return ["the summary is empty"]
    faults = []
    if len(text) < limits.least_characters:
        faults.append(f"the summary has {len(text)} characters; write at least {limits.least_characters}")
    if len(text) > limits.most_characters:
        faults.append(f"the summary has {len(text)} characters; write at most {limits.most_characters}")
    elif _copied(text, chunk_set):
        faults.append("the summary copies the paper; write it in your own words")
    ids = _ids_in(text, chunk_set)
    if ids:
        faults.append(f"the text names {_named(ids)}; ids belong into the citations alone")
    return faults


def _faults_of_citations(
    citations: Sequence[DraftCitation], by_id: dict[str, PaperChunk], read: Collection[str]
) -> list[str]:
    ids = [one.chunk_id for one in citations]
    unknown = [one for one in dict.fromkeys(ids) if one not in by_id]
    twice = [one for one in dict.fromkeys(ids) if ids.count(one) > 1]
    unread = [one for one in dict.fromkeys(ids) if one in by_id and one not in read]
    faults = []
    if unknown:
        faults.append(f"there is no passage {_named(unknown)}; cite ids from the list")
    if twice:
        faults.append(f"{_named(twice)} is cited twice; cite each passage once")
    if unread:
        faults.append(f"{_named(unread)} was never read; read it, or leave it out")
    for one in citations:
        if one.chunk_id in by_id and not _sound(one, by_id):
            pages = ", ".join(map(str, by_id[one.chunk_id].pages[:_MOST_NAMED]))
            faults.append(f"{one.chunk_id} does not stand on page {str(one.page)[:20]} but on {pages}")
    return faults[: 2 * _MOST_NAMED]


def _faults_of_coverage(cited: Sequence[ChunkCitation], chunk_set: PaperChunkSet, limits: SummaryLimits) -> list[str]:
    chunks, pages = least_cited(chunk_set, limits)
    on = len({one.page for one in cited})
    if len(cited) < chunks or on < pages:
        return [f"{len(cited)} passages on {on} pages are cited; cite at least {chunks} on {pages} pages"]
    if len(cited) > limits.most_cited:
        return [f"{len(cited)} passages are cited; cite the {limits.most_cited} that matter most"]
    return []


def _copied(text: str, chunk_set: PaperChunkSet) -> bool:
    """Whether most of the text stands in the paper, word for word. Keeps runs of the text alone, not of the paper."""
    words = _words(text)
    size = min(_RUN, max(len(words), 1))
    runs = Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
    wanted = COPIED * runs.total()
    firsts = {run[0] for run in runs}
    found: set[tuple[str, ...]] = set()
    for chunk in chunk_set.chunks:
        paper = _words(chunk.text)
        found.update(
            run
            for at in range(len(paper) - size + 1)
            if paper[at] in firsts and (run := tuple(paper[at : at + size])) in runs
        )
        if found and sum(runs[run] for run in found) >= wanted:
            return True
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _without_ids(text: str, by_id: dict[str, PaperChunk]) -> str:
    """Take out marks such as ``[c0003, c0007]``: what they say stands in the citations, or is unfounded."""
    return re.sub(r"[ \t]*\[([^\[\]\n]{1,200})\]", lambda mark: "" if _only_ids(mark[1], by_id) else mark[0], text)


def _only_ids(inside: str, by_id: dict[str, PaperChunk]) -> bool:
    return all(part in by_id for part in re.split(r"[,;\s]+", inside.strip()))


def _ids_in(text: str, chunk_set: PaperChunkSet) -> list[str]:
    """What looks like an id of a passage, known or invented: where ids are a prefix and a number."""
    forms = {_NUMBERED.fullmatch(chunk.chunk_id) for chunk in chunk_set.chunks}
    prefixes = {form[1] for form in forms if form is not None}
    if None in forms or len(prefixes) != 1:
        return []
    return list(dict.fromkeys(re.findall(rf"\b{re.escape(prefixes.pop())}\d{{3,}}\b", text)))


def _named(ids: Sequence[str]) -> str:
    return ", ".join(repr(one_line(one)[:40]) for one in ids[:_MOST_NAMED])


def _on_page(chunk: PaperChunk, page: int) -> tuple[int, str]:
    """Where the chunk begins on a page, in characters of the page, and its words there."""
    at = 0
    for span in chunk.spans:
        length = span.end - span.start
        if span.page == page:
            return span.start, chunk.text[at : at + length]
        at += length + 2  # a blank line stands between two spans
    return chunk.spans[0].start, chunk.text


def _quote(words: str) -> str:
    if len(words) <= MAX_QUOTE_CHARACTERS:
        return words
    cut = words[:MAX_QUOTE_CHARACTERS]
    return cut.rsplit(None, 1)[0] if any(one.isspace() for one in cut) else cut
