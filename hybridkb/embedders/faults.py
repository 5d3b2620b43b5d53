"""A finer fault than the public errors tell apart, for embedders and the checks at the door."""

from __future__ import annotations

from hybridkb.errors import EmbedderError


class EmbedderRefused(EmbedderError):
    """The model refuses every call (key, model name, address, settings): sending other texts would not help."""
