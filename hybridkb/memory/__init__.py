"""The managed memory: source documents in, each with its provenance card; coverage, evaluation and public figures out.

Which documents should be searched, how far may each be trusted, are they there, and does search still find them?
"""

from hybridkb.memory.backfill import BackfillReport, backfill_provenance
from hybridkb.memory.card import KnowledgeCard
from hybridkb.memory.chunks import CardChunk, chunk_texts
from hybridkb.memory.collected import CollectedCards, SkippedCard, UpcomingCard
from hybridkb.memory.coverage import CoverageReport, coverage_report
from hybridkb.memory.ingest import ingest_sources
from hybridkb.memory.lineage import collect_lineage_sources
from hybridkb.memory.markdown_sources import collect_article_sources, collect_scout_sources
from hybridkb.memory.report import IngestReport

__all__ = [
    "BackfillReport",
    "CardChunk",
    "CollectedCards",
    "CoverageReport",
    "IngestReport",
    "KnowledgeCard",
    "SkippedCard",
    "UpcomingCard",
    "backfill_provenance",
    "chunk_texts",
    "collect_article_sources",
    "collect_lineage_sources",
    "collect_scout_sources",
    "coverage_report",
    "ingest_sources",
]
