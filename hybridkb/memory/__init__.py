"""The managed memory: source documents in, each with its provenance card; coverage, evaluation and public figures out.

Which documents should be searched, how far may each be trusted, are they there, and does search still find them?
"""

from hybridkb.evaluation import EvaluationReport, evaluate, public_export, resolve_gold_set
from hybridkb.memory.adopt import abandon_table, adopt_table
from hybridkb.memory.adopted_cards import AdoptReport
from hybridkb.memory.card import KnowledgeCard
from hybridkb.memory.collected import CollectedCards, SkippedCard, UpcomingCard
from hybridkb.memory.coverage import CoverageReport, coverage_report
from hybridkb.memory.ingest import ingest_sources
from hybridkb.memory.lineage import collect_lineage_sources
from hybridkb.memory.markdown_sources import collect_article_sources, collect_scout_sources
from hybridkb.memory.report import IngestReport

__all__ = [
    "AdoptReport",
    "CollectedCards",
    "CoverageReport",
    "EvaluationReport",
    "IngestReport",
    "KnowledgeCard",
    "SkippedCard",
    "UpcomingCard",
    "abandon_table",
    "adopt_table",
    "collect_article_sources",
    "collect_lineage_sources",
    "collect_scout_sources",
    "coverage_report",
    "evaluate",
    "ingest_sources",
    "public_export",
    "resolve_gold_set",
]
