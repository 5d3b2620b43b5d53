"""hybridkb: hybrid search over dated financial knowledge in one SQLite file."""

from hybridkb.knowledge.locator import Locator
from hybridkb.library import HybridLibrary
from hybridkb.library_async import AsyncHybridLibrary
from hybridkb.search.hit import SearchHit, SearchResults
from hybridkb.search.request import SearchQuery

__all__ = [
    "AsyncHybridLibrary",
    "HybridLibrary",
    "Locator",
    "SearchHit",
    "SearchQuery",
    "SearchResults",
]
