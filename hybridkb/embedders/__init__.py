"""Text to vector: the local model, the multilingual one, OpenAI-compatible services, and the checks at the door.

Importing this loads neither a model nor a client; each embedder loads what it needs at its first call.
"""

from hybridkb.embedders.choose import load_embedder
from hybridkb.embedders.guard import embed_checked, embed_query_checked
from hybridkb.embedders.local import LocalEmbedder
from hybridkb.embedders.multilingual import MultilingualEmbedder
from hybridkb.embedders.openai_compatible import OpenAIEmbedder
from hybridkb.embedders.reading import certainly_read, count_windows, is_truncated, unknown_share
from hybridkb.embedders.registry import register_embedder
from hybridkb.embedders.space import Embedder, EmbeddingSpace

__all__ = [
    "Embedder",
    "EmbeddingSpace",
    "LocalEmbedder",
    "MultilingualEmbedder",
    "OpenAIEmbedder",
    "certainly_read",
    "count_windows",
    "embed_checked",
    "embed_query_checked",
    "is_truncated",
    "load_embedder",
    "register_embedder",
    "unknown_share",
]
