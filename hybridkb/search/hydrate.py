"""From record ids to hits: text, snippet, source, provenance, citations, explanation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any
from uuid import UUID

from hybridkb.database import Connection, ids_parameter
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import BrokenInvariant, StaleIndex
from hybridkb.fusion import Fusion, LegShare
from hybridkb.knowledge import Citation, Locator, Provenance, SourceRef
from hybridkb.knowledge.times import from_microseconds
from hybridkb.lexical.feedback import FeedbackWord
from hybridkb.lexical.ranking import Statistics
from hybridkb.lexical.read_texts import TextReader
from hybridkb.records import hash_text, join_text
from hybridkb.search.hit import Explanation, LegExplanation, ProjectionRef, SearchHit
from hybridkb.text import SnippetMaker

TITLE_AND_BODY = slice(5, 7)  # of a row without its record id


@dataclass(frozen=True, slots=True)
class HitFacts:
    """What ranking knows of a hit."""

    record_id: int
    score: float
    relevance: float
    guarded: bool
    others: int
    added: float
    lexical: LegShare | None
    semantic: LegShare | None
    matched_units: int
    frequencies: tuple[tuple[str, int], ...]
    feedback: tuple[FeedbackWord, ...]
    statistics: Statistics
    cutoff: int | None
    fusion: Fusion | None


def hydrate(
    connection: Connection,
    facts: Sequence[HitFacts],
    reader: TextReader,
    snippets: SnippetMaker,
    members: Mapping[str, int],
    space_of: Callable[[int], EmbeddingSpace | None],
) -> list[SearchHit]:
    """Read what the hits show, in the order given. ``members`` are the words that the snippets mark.

    Raises:
        BrokenInvariant: a hit has no text or no revision.
        StaleIndex: a record's text is not the text that its hash names.
    """
    rows = connection.rows("records/hydrate", ids_parameter([one.record_id for one in facts]))
    by_id = {row[0]: row[1:] for row in rows}
    if len(by_id) != len(facts):
        raise BrokenInvariant("a record's text or revision is not there; run check(), then rebuild()")
    texts = [reader.read(one.record_id, *by_id[one.record_id][TITLE_AND_BODY]) for one in facts]
    matches = reader.matches(texts, members)
    held = [
        dict.fromkeys(text.chunks[found.places].tolist()) if text.whole else None
        for text, found in zip(texts, matches, strict=True)
    ]
    return [
        _hit(rank, one, by_id[one.record_id], partial(snippets.cut, held=chunks), space_of)
        for rank, (one, chunks) in enumerate(zip(facts, held, strict=True), start=1)
    ]


def _hit(
    rank: int,
    facts: HitFacts,
    row: tuple[Any, ...],
    snippet_of: Callable[..., str],
    space_of: Callable[[int], EmbeddingSpace | None],
) -> SearchHit:
    (
        revision, locator_text, member_id, item_type, artifact_kind, title, body, text_hash, as_of, available_at,
        source_class, kind, doc_date, verdict, link, citations, projection_version, path, source,
        recorded_at,
    ) = row  # fmt: skip
    locator = Locator.parse(locator_text)
    text = join_text(title, body)
    if hash_text(text) != text_hash:
        raise StaleIndex(
            f"{locator}: the record's text is not what its hash names; run rebuild()",
            locator=locator_text,
            stored_hash=text_hash.hex(),
            canonical_hash=hash_text(text).hex(),
        )
    is_item = locator.owner_kind == "item"
    cited = tuple(Citation.model_validate(card) for card in json.loads(citations))
    return SearchHit(
        rank=rank,
        score=facts.score,
        relevance=facts.relevance,
        locator=locator,
        item_id=locator.owner_id if is_item else None,
        node_id=member_id if is_item else None,
        item_type=item_type,
        title=title,
        matched_text=text,
        snippet=snippet_of(text, behind=len(text) - len(body) if body else 0),
        as_of=from_microseconds(as_of),
        available_at=None if available_at is None else from_microseconds(available_at),
        source=_source(source),
        provenance=None if source_class is None else Provenance(source_class, kind, doc_date, verdict, link),
        citations=cited,
        explanation=_explain(facts),
        revision=revision,
        recorded_at=from_microseconds(recorded_at),
        projection=ProjectionRef(artifact_kind or item_type, projection_version, "text", space_of(facts.record_id)),
        others=facts.others,
        artifact_id=None if is_item else locator.owner_id,
        artifact_kind=artifact_kind,
        member_id=None if is_item else member_id,
        source_id=UUID(cited[0].source_id) if cited and cited[0].source_id and not is_item else None,
        page=cited[0].page if cited and not is_item and member_id is not None else None,
        path=path,
    )


@lru_cache(maxsize=1024)
def _source(written: str) -> SourceRef:
    """Where something comes from; the hits of a library often share it."""
    return SourceRef.model_validate_json(written)


def _explain(facts: HitFacts) -> Explanation:
    fusion = facts.fusion
    matched = [text for unit, (text, _) in enumerate(facts.frequencies) if facts.matched_units >> unit & 1]
    return Explanation(
        lexical=_leg(facts.lexical, fusion, lexical=True),
        semantic=_leg(facts.semantic, fusion, lexical=False),
        matched_terms=tuple(dict.fromkeys(matched)),
        guarded=facts.guarded,
        records=facts.statistics.records,
        average_length=facts.statistics.average_length,
        document_frequencies=facts.frequencies,
        feedback=facts.feedback,
        others=facts.added,
        cutoff=None if facts.cutoff is None else from_microseconds(facts.cutoff),
    )


def _leg(share: LegShare | None, fusion: Fusion | None, *, lexical: bool) -> LegExplanation | None:
    if share is None:
        return None
    if fusion is None:  # a single leg: its score is the hit's score
        return LegExplanation(share.rank, share.score, 1.0, share.score)
    weight = fusion.weigh_words(share.relevance) if lexical else fusion.meaning_weight
    part = weight / (fusion.k + share.rank) if fusion.method == "rrf" else weight * share.relevance
    return LegExplanation(share.rank, share.score, weight, part)
