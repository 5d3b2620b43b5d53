"""What is derived from a paper: chunk sets, summaries, structure trees, each by a named producer and configuration.

Ids are made by code from the source, the configuration and the content, and checked whenever an artifact is made or
read back. Artifacts share their source and need nothing else of each other; what one was made from is lineage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, JsonValue, NonNegativeInt, PositiveInt, model_validator
from pydantic_core import PydanticCustomError, to_jsonable_python

from hybridkb.knowledge.base import KnowledgeModel, Name
from hybridkb.knowledge.frozen_dict import FrozenDict
from hybridkb.knowledge.identity import stable_id
from hybridkb.knowledge.item import KnowledgeItem
from hybridkb.knowledge.paper_source import Box, Sha256
from hybridkb.knowledge.source import ExtractionRef

ArtifactKind = Literal["paper_chunk_set", "paper_summary", "paper_tree"]

Configuration = Annotated[Mapping[str, JsonValue], AfterValidator(FrozenDict)]
"""The exact settings of a producer: everything that may change what it makes, as JSON."""


def configuration_hash(producer: str, producer_version: str, configuration: Mapping[str, Any]) -> str:
    """Name a producer with its exact configuration (SHA-256 in hexadecimal)."""
    return _hash([producer, producer_version, to_jsonable_python(dict(configuration))])


def artifact_id_of(kind: str, source_id: UUID, config_hash: str, content: str) -> UUID:
    """The id of an artifact; ``content`` is its :attr:`PaperArtifact.artifact_hash`."""
    return stable_id(kind, source_id, config_hash, content)


def _hash(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


class PaperArtifact(KnowledgeItem):
    """Something made from a source revision.

    ``extraction`` names producer, version, model, prompt and configuration hash.
    ``available_at``, ``as_of``, ``source`` and ``source_id`` are those of its source revision.

    Attributes:
        source_id: the source revision.
        parse_hash: ``PaperSourceRevision.parse_hash`` of the text it was made from.
        configuration: the producer's exact settings.
        lineage: ids of the artifacts it was made from.
    """

    CONTENT: ClassVar[tuple[str, ...]] = ()

    source_id: UUID
    extraction: ExtractionRef
    parse_hash: Sha256
    configuration: Configuration
    lineage: tuple[UUID, ...] = ()

    @classmethod
    def made(
        cls, *, producer: str, producer_version: str, configuration: Mapping[str, Any], model: str | None = None,
        prompt_version: str | None = None, **fields: Any,
    ) -> Self:  # fmt: skip
        """Make an artifact with the id and the configuration hash that belong to it.

        Raises:
            InvalidInput: a field is wrong.
        """
        config_hash = configuration_hash(producer, producer_version, configuration)
        extraction = ExtractionRef(
            producer=producer, producer_version=producer_version, model=model, prompt_version=prompt_version,
            config_hash=config_hash,
        )  # fmt: skip
        content = cls._content_hash({name: fields[name] for name in cls.CONTENT if name in fields})
        artifact_id = artifact_id_of(cls.model_fields["item_type"].default, fields["source_id"], config_hash, content)
        return cls(id=artifact_id, extraction=extraction, configuration=configuration, **fields)

    @classmethod
    def _content_hash(cls, fields: Mapping[str, Any]) -> str:
        return _hash({name: to_jsonable_python(value) for name, value in fields.items()})

    @property
    def artifact_kind(self) -> str:
        """``"paper_chunk_set"``, ``"paper_summary"`` or ``"paper_tree"``."""
        return self.item_type

    @property
    def artifact_hash(self) -> str:
        """Names what the artifact says (SHA-256 in hexadecimal), whatever made it."""
        return self._content_hash({name: getattr(self, name) for name in self.CONTENT})

    @model_validator(mode="after")
    def _id_is_its_own(self) -> Self:
        told = self.extraction
        known = configuration_hash(told.producer or "", told.producer_version or "", self.configuration)
        if told.config_hash != known:
            raise PydanticCustomError("artifact", "the configuration hash is not that of producer and configuration")
        if self.id != artifact_id_of(self.item_type, self.source_id, known, self.artifact_hash):
            raise PydanticCustomError("artifact", "the id is not that of source, configuration and content; use made()")
        return self


class Span(KnowledgeModel):
    """Characters of one page's text, ``[start, end)``; the page is physical, from 1."""

    page: PositiveInt
    start: NonNegativeInt
    end: PositiveInt


class PageBox(KnowledgeModel):
    """A place on a page: the page from 1, the box in points from its upper left corner."""

    page: PositiveInt
    box: Box


class PaperChunk(KnowledgeModel):
    """A passage of a paper: a member of a chunk set, and what a hit on a passage resolves to.

    Attributes:
        chunk_id: unique in its set, such as ``"c0012"``; given by code.
        position: from 0, in reading order.
        text: the text of its spans, a blank line between each two.
        spans: where it stands, in reading order; no page twice in a row unless something was left out between.
        boxes: the blocks it is taken from.
        heading: the headings above it, outermost first.
        asset_ids: pictures that stand on its pages beside it, or that it names.
    """

    chunk_id: Name
    position: NonNegativeInt
    text: str
    spans: tuple[Span, ...]
    boxes: tuple[PageBox, ...] = ()
    heading: tuple[str, ...] = ()
    asset_ids: tuple[Name, ...] = ()

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages it stands on, each once, ascending."""
        return tuple(sorted({span.page for span in self.spans}))

    @property
    def page(self) -> int:
        """The page it begins on."""
        return self.spans[0].page


class PaperChunkSet(PaperArtifact):
    """A paper cut into passages by one splitter with one configuration.

    Attributes:
        chunks: in reading order.
    """

    CONTENT: ClassVar[tuple[str, ...]] = ("chunks",)

    item_type: Literal["paper_chunk_set"] = "paper_chunk_set"
    chunks: tuple[PaperChunk, ...]

    @model_validator(mode="after")
    def _chunks_are_in_order(self) -> Self:
        if len({chunk.chunk_id for chunk in self.chunks}) != len(self.chunks):
            raise PydanticCustomError("chunks", "two chunks have the same id")
        if [chunk.position for chunk in self.chunks] != list(range(len(self.chunks))):
            raise PydanticCustomError("chunks", "the positions of the chunks do not count from 0")
        if any(not chunk.spans or not chunk.text.strip() for chunk in self.chunks):
            raise PydanticCustomError("chunks", "a chunk is blank, or stands nowhere")
        return self

    def chunk(self, chunk_id: str) -> PaperChunk | None:
        """The chunk with this id; None when there is none."""
        return next((chunk for chunk in self.chunks if chunk.chunk_id == chunk_id), None)


class ChunkCitation(KnowledgeModel):
    """What a summary rests on: a chunk of the set it was made from, and a page of that chunk.

    Attributes:
        chunk_id: of a chunk of the summary's chunk set.
        page: one of that chunk's pages.
    """

    chunk_id: Name
    page: PositiveInt


class TokenUse(KnowledgeModel):
    """What the making of a summary used: calls of the model, tokens read, tokens written."""

    calls: NonNegativeInt = 0
    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0


class PaperGlobalSummary(PaperArtifact):
    """One summary of a whole paper with the passages it rests on.

    ``citations`` repeats them by page, as hits show them.

    Attributes:
        text: the summary.
        chunk_set_id: the chunk set it was made from, the first of its lineage.
        cited: the passages, each once; checked by code when it was made.
        use: calls and tokens.
    """

    CONTENT: ClassVar[tuple[str, ...]] = ("text", "cited")

    item_type: Literal["paper_summary"] = "paper_summary"
    text: str
    chunk_set_id: UUID
    cited: tuple[ChunkCitation, ...]
    use: TokenUse = TokenUse()

    @model_validator(mode="after")
    def _rests_on_something(self) -> Self:
        if not self.text.strip() or not self.cited:
            raise PydanticCustomError("summary", "a summary has text, and cites what it rests on")
        if self.lineage[:1] != (self.chunk_set_id,):
            raise PydanticCustomError("summary", "the lineage of a summary begins with its chunk set")
        return self


class PaperTreeNode(KnowledgeModel):
    """A section of a paper.

    Attributes:
        node_id: unique in its tree, such as ``"3.2.1"``: its place, given by code. The root is ``"0"``.
        parent_id: the section around it; None for the root alone.
        title: its heading; the paper's title for the root.
        first_page, last_page: the physical pages it covers, with its children.
        start: the character of the first page's text at which it begins.
        children_ids: the sections inside it, in order.
    """

    node_id: Name
    parent_id: Name | None = None
    title: str
    first_page: PositiveInt
    last_page: PositiveInt
    start: NonNegativeInt = 0
    children_ids: tuple[Name, ...] = ()


class PaperTree(PaperArtifact):
    """The structure of a paper: which section stands on which pages. No model takes part.

    Attributes:
        basis: the file's own outline, the headings found on its pages, or, without either, its pages.
        nodes: parents before their children, in reading order; the first is the root.
    """

    CONTENT: ClassVar[tuple[str, ...]] = ("basis", "nodes")

    item_type: Literal["paper_tree"] = "paper_tree"
    basis: Literal["outline", "headings", "pages"]
    nodes: tuple[PaperTreeNode, ...]

    @model_validator(mode="after")
    def _is_tree(self) -> Self:
        fault = tree_fault(self.nodes)
        if fault is not None:
            raise PydanticCustomError("tree", "{reason}", {"reason": fault})
        return self

    def node(self, node_id: str) -> PaperTreeNode | None:
        """The section with this id; None when there is none."""
        return next((node for node in self.nodes if node.node_id == node_id), None)


def tree_fault(nodes: Sequence[PaperTreeNode]) -> str | None:
    """What keeps the nodes from being one tree, parents first; None when nothing does."""
    children: dict[str, list[str]] = {}
    for position, node in enumerate(nodes):
        if node.node_id in children:
            return f"two sections have the id {node.node_id!r}"
        if (node.parent_id is None) != (position == 0):
            return "the first section, and it alone, has no parent"
        if node.parent_id is not None and node.parent_id not in children:
            return f"section {node.node_id!r} stands before its parent"
        if node.first_page > node.last_page:
            return f"section {node.node_id!r} ends before it begins"
        children[node.node_id] = []
        if node.parent_id is not None:
            children[node.parent_id].append(node.node_id)
    if not nodes:
        return "a tree has a root"
    wrong = next((node.node_id for node in nodes if list(node.children_ids) != children[node.node_id]), None)
    return None if wrong is None else f"section {wrong!r} does not name its children in order"
