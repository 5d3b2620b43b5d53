"""The managed memory: cards with provenance in, coverage and gold sets out."""

from hybridkb.memory.card import KnowledgeCard
from hybridkb.memory.collected import CollectedCards, SkippedCard, UpcomingCard
from hybridkb.memory.ingest import ingest_sources
from hybridkb.memory.report import IngestReport

__all__ = ["CollectedCards", "IngestReport", "KnowledgeCard", "SkippedCard", "UpcomingCard", "ingest_sources"]
