"""The read flow: parse, filter, two legs, fuse, hydrate, explain."""

from hybridkb.search.hit import Explanation, LegExplanation, ProjectionRef, SearchHit, SearchResults
from hybridkb.search.request import MAX_TOP_K, SearchQuery

__all__ = [
    "MAX_TOP_K",
    "Explanation",
    "LegExplanation",
    "ProjectionRef",
    "SearchHit",
    "SearchQuery",
    "SearchResults",
]
