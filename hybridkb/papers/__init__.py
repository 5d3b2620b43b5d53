"""A paper from its arXiv id or its file to an exact source, its passages, its sections and a cited summary."""

from hybridkb.knowledge.paper_artifacts import (
    ChunkCitation,
    PageBox,
    PaperArtifact,
    PaperChunk,
    PaperChunkSet,
    PaperGlobalSummary,
    PaperTree,
    PaperTreeNode,
    Span,
    TokenUse,
)
from hybridkb.knowledge.paper_result import ArtifactSummary, Paper, PaperFlowResult
from hybridkb.knowledge.paper_source import OutlineEntry, PaperAsset, PaperPage, PaperSourceRevision, TextBlock
from hybridkb.papers.arxiv_fetch import ArxivFetcher
from hybridkb.papers.arxiv_id import ArxivIdentifier
from hybridkb.papers.fetching import FetchedPaper, PaperFetcher
from hybridkb.papers.flow import FlowProgress, FlowStep, Summarise, paper_flow, paper_flow_sync
from hybridkb.papers.flow_config import PaperFlowConfig
from hybridkb.papers.marking import mark_page
from hybridkb.papers.obtaining import PaperSource
from hybridkb.papers.splitter import SplitterConfig, split
from hybridkb.papers.summary_config import SummaryConfig, SummaryLimits
from hybridkb.papers.tree import build_tree

__all__ = [
    "ArtifactSummary",
    "ArxivFetcher",
    "ArxivIdentifier",
    "ChunkCitation",
    "FetchedPaper",
    "FlowProgress",
    "FlowStep",
    "OutlineEntry",
    "PageBox",
    "Paper",
    "PaperArtifact",
    "PaperAsset",
    "PaperChunk",
    "PaperChunkSet",
    "PaperFetcher",
    "PaperFlowConfig",
    "PaperFlowResult",
    "PaperGlobalSummary",
    "PaperPage",
    "PaperSource",
    "PaperSourceRevision",
    "PaperTree",
    "PaperTreeNode",
    "Span",
    "SplitterConfig",
    "Summarise",
    "SummaryConfig",
    "SummaryLimits",
    "TextBlock",
    "TokenUse",
    "build_tree",
    "mark_page",
    "paper_flow",
    "paper_flow_sync",
    "split",
]
