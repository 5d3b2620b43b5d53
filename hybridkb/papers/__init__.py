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
from hybridkb.papers.splitter import SplitterConfig, split
from hybridkb.papers.tree import build_tree

__all__ = [
    "ArtifactSummary",
    "ArxivFetcher",
    "ArxivIdentifier",
    "ChunkCitation",
    "FetchedPaper",
    "OutlineEntry",
    "PageBox",
    "Paper",
    "PaperArtifact",
    "PaperAsset",
    "PaperChunk",
    "PaperChunkSet",
    "PaperFetcher",
    "PaperFlowResult",
    "PaperGlobalSummary",
    "PaperPage",
    "PaperSourceRevision",
    "PaperTree",
    "PaperTreeNode",
    "Span",
    "SplitterConfig",
    "TextBlock",
    "TokenUse",
    "build_tree",
    "split",
]
