"""Where knowledge comes from: its source, the passages it cites, and the run that extracted it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from hybridkb.knowledge.base import Instant, KnowledgeModel

SourceKind = Literal["arxiv", "http", "doi", "local", "rss", "transcript", "manual"]

MAX_QUOTE_CHARACTERS = 500


def _read_id(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value


IdText = Annotated[str, BeforeValidator(_read_id)]
"""An id of someone else's making, kept as text; UUIDs are accepted."""


class SourceRef(KnowledgeModel):
    """The source an item was taken from.

    Attributes:
        kind: what kind of source.
        uri: its address: a URL, a DOI, a path.
        published_at: when it was published (UTC).
        fetched_at: when this copy was fetched (UTC); left out of the content hash.
        content_hash: a hash of the bytes that were read, as text.
    """

    kind: SourceKind
    uri: str | None = None
    published_at: Instant | None = None
    fetched_at: Instant | None = None
    content_hash: str | None = None


class Citation(KnowledgeModel):
    """A passage that supports a statement; it points at least somewhere.

    Attributes:
        source_id: the source's id, as text.
        page: page in the source, counted from 1.
        char_offset: characters from the start of the page, or of the source without pages.
        quote: the words themselves, at most 500 characters.
        tree_id, node_id: the tree item and node that hold the passage.
    """

    source_id: IdText | None = None
    page: int | None = Field(default=None, ge=1)
    char_offset: int | None = Field(default=None, ge=0)
    quote: str | None = Field(default=None, max_length=MAX_QUOTE_CHARACTERS)
    tree_id: UUID | None = None
    node_id: str | None = None

    @model_validator(mode="after")
    def _points_somewhere(self) -> Self:
        if not any((self.source_id, self.page, self.quote, self.tree_id, self.node_id)):
            raise PydanticCustomError("empty_citation", "a citation needs a source_id, page, quote, tree_id or node_id")
        return self


class ExtractionRef(KnowledgeModel):
    """The program run that made an item from its source.

    ``run_id`` and ``run_at`` are left out of the content hash: running the same
    extraction again does not make a revision.

    Attributes:
        producer: name of the program or flow.
        producer_version: its version.
        model: the language model it used, if any.
        prompt_version: version of the prompt.
        config_hash: hash of its exact configuration, as text.
        run_id: id of the run, as text.
        run_at: when it ran (UTC).
    """

    producer: str | None = None
    producer_version: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    config_hash: str | None = None
    run_id: IdText | None = None
    run_at: Instant | None = None
