"""What every artifact takes over from its source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridkb.knowledge.paper_source import PaperSourceRevision


def shared_fields(source: PaperSourceRevision) -> dict[str, Any]:
    """The fields of an artifact that are those of its source."""
    return {
        "source_id": source.id,
        "parse_hash": source.parse_hash,
        "source": source.source,
        "as_of": source.as_of,
        "available_at": source.available_at,
        "confidence": source.confidence,
        "tags": source.tags,
        "provenance": source.provenance,
    }


def with_variant(configuration: Mapping[str, Any], variant: str) -> dict[str, Any]:
    """A configuration under a label of its own; as it is when the label is empty."""
    return dict(configuration) | ({"variant": variant} if variant else {})
