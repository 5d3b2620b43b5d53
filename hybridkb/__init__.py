"""hybridkb: hybrid search over dated financial knowledge in one SQLite file."""

from hybridkb.documents import INDEXED_SUFFIXES
from hybridkb.folder import RefreshCounts
from hybridkb.knowledge.locator import Locator
from hybridkb.knowledge_base import KnowledgeBase, KnowledgeHit, KnowledgeHits
from hybridkb.library import HybridLibrary
from hybridkb.library_async import AsyncHybridLibrary
from hybridkb.search.hit import SearchHit, SearchResults
from hybridkb.search.request import SearchQuery

__all__ = [
    "INDEXED_SUFFIXES",
    "AsyncHybridLibrary",
    "HybridLibrary",
    "KnowledgeBase",
    "KnowledgeHit",
    "KnowledgeHits",
    "Locator",
    "RefreshCounts",
    "SearchHit",
    "SearchQuery",
    "SearchResults",
]
