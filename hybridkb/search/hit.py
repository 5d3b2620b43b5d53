"""What is answered: hits, best first, each with the reasons why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload
from uuid import UUID

from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.knowledge import Citation, Locator, Provenance, SourceRef
from hybridkb.lexical.feedback import FeedbackWord


@dataclass(frozen=True, slots=True)
class LegExplanation:
    """A hit's place in one leg.

    Attributes:
        rank: from 1.
        score: raw score: BM25 with bonuses, or cosine.
        weight: the weight of this place in the fusion: the leg's; for words also by what the record holds of the query.
        share: what the leg adds to the fused score.
    """

    rank: int
    score: float
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit is there.

    Attributes:
        lexical, semantic: the hit's place in each leg; None when it is not in it.
        matched_terms: what the searcher wrote that the record holds, in query order.
        guarded: the query names its identifier or its whole title, so it ranks first.
        records: N, how many records were visible.
        average_length: their average weighted length in words.
        document_frequencies: for each scored term of the query, how many visible records hold it.
        cutoff: T, the instant of the statistics; None is now.
        feedback: words of the best candidates that were sought too and that the record holds, the strongest first.
        others: with ``collapse``, what the second best passage of the same item or document adds to the score.
    """

    lexical: LegExplanation | None
    semantic: LegExplanation | None
    matched_terms: tuple[str, ...]
    guarded: bool = False
    records: int = 0
    average_length: float = 0.0
    document_frequencies: tuple[tuple[str, int], ...] = ()
    cutoff: datetime | None = None
    feedback: tuple[FeedbackWord, ...] = ()
    others: float = 0.0


@dataclass(frozen=True, slots=True)
class ProjectionRef:
    """How the ranked text was made.

    Attributes:
        kind: the item type or artifact kind.
        version: version of its projection.
        modality: always ``"text"``.
        space: the embedding space its vector is in; None without one.
    """

    kind: str
    version: int
    modality: str
    space: EmbeddingSpace | None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One record that answers the query.

    Attributes:
        rank: from 1.
        score: fused score (hybrid), BM25 with bonuses (lexical), cosine (semantic); with ``collapse`` also a quarter of
            that of the second best passage.
        relevance: 0 to 1, the larger of clipped cosine and BM25 over its bound; independent of top_k.
        locator: stable address of what was found.
        item_id, node_id: the item and, in a tree, the node; None for artifacts.
        item_type: the item's type; for artifacts their kind.
        title: the record's title.
        matched_text: exactly what was ranked.
        snippet: the best part of it, matched words in ``[brackets]``.
        as_of, available_at: of the revision found (UTC).
        source: where it comes from.
        provenance: the provenance card, if there is one.
        citations: passages it rests on.
        explanation: why it is there.
        revision: which of the item's revisions, by availability, from 1.
        recorded_at: when the library was told of it.
        projection: how the ranked text was made.
        others: with ``collapse``, how many further passages of the same item or document were found.
        artifact_id, artifact_kind, member_id, source_id, page: of artifacts.
        path: of a local source or a document, as the filter ``path_prefix`` sees it; None without one.
    """

    rank: int
    score: float
    relevance: float
    locator: Locator
    item_id: UUID | None
    node_id: str | None
    item_type: str
    title: str
    matched_text: str
    snippet: str
    as_of: datetime
    available_at: datetime | None
    source: SourceRef
    provenance: Provenance | None
    citations: tuple[Citation, ...]
    explanation: Explanation
    revision: int
    recorded_at: datetime
    projection: ProjectionRef
    others: int = 0
    artifact_id: UUID | None = None
    artifact_kind: str | None = None
    member_id: str | None = None
    source_id: UUID | None = None
    page: int | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class FeedbackUsed:
    """What was sought beside the words of the query, because nothing held all of these.

    Attributes:
        words: the words, the strongest first.
        sources: the candidates that they were taken from, by locator.
    """

    words: tuple[FeedbackWord, ...]
    sources: tuple[Locator, ...]


@dataclass(frozen=True, slots=True)
class SearchResults(Sequence[SearchHit]):
    """Hits best first, and what the answer rests on.

    Attributes:
        hits: the hits.
        query: the text as asked.
        mode: what ran: ``"hybrid"``, ``"lexical"`` or ``"semantic"``.
        match: ``"all"`` when every candidate holds every word of the query (``SearchQuery.match``), else ``"any"``.
        degraded: None, or what is missing from the answer and why.
        cutoff: T; None is now.
        pending: candidates that have no vector yet, so that only words could find them.
        approximate: whether vector candidates were chosen by codes or by an HNSW index.
        fingerprint: names the settings and the visible records; equal fingerprints, equal answers.
        feedback: words of the best candidates that were sought too; None when only the query's own were.
    """

    hits: tuple[SearchHit, ...]
    query: str
    mode: str
    match: str
    degraded: str | None
    cutoff: datetime | None
    pending: int
    approximate: bool
    fingerprint: str
    feedback: FeedbackUsed | None = None

    @overload
    def __getitem__(self, index: int) -> SearchHit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SearchHit, ...]: ...
    def __getitem__(self, index: int | slice) -> SearchHit | tuple[SearchHit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[SearchHit]:
        return iter(self.hits)
