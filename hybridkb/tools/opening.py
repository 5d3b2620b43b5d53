"""What a locator opens for a reader: the whole, its passages in reading order, and which of them is meant."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hybridkb.errors import NotFound
from hybridkb.knowledge import KnowledgeItem, Locator, TreeKnowledge
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.records import Record, project
from hybridkb.records.paper_projection import HEADING_SEPARATOR, paper_context, project_artifact
from hybridkb.tools.cards import address
from hybridkb.tools.desk import View


@dataclass(frozen=True, slots=True)
class Opened:
    """A whole with its passages.

    Attributes:
        item: the item, or what was made of a paper, or the paper's source.
        title: of the item or the paper.
        records: its parts that hold text, in reading order; of a paper its summary, then its chunks.
        place: which of them is meant.
    """

    item: KnowledgeItem
    title: str
    records: tuple[Record, ...]
    place: int

    def heading(self, record: Record) -> str:
        """The title of a part, without that of the paper in front."""
        if record.locator.owner_kind == "item":
            return record.title if record.locator.member_id is not None else ""
        return record.title.removeprefix(self.title).removeprefix(HEADING_SEPARATOR)


def open_locator(view: View, locator: Locator) -> Opened:
    """Open what a locator points to.

    Raises:
        NotFound: there is no such whole or part, or it holds no text.
    """
    if locator.owner_kind == "source":
        return _paper(view, locator)
    if locator.owner_kind == "artifact":
        artifact = view.get_artifact(locator.owner_id)
        source = _source(view, artifact.source_id)
        records = project_artifact(artifact, paper_context(source))
        return Opened(artifact, source.title, records, _place(records, locator))
    item = view.get(locator.owner_id)
    if isinstance(item, PaperSourceRevision | PaperArtifact):
        kind = "source" if isinstance(item, PaperSourceRevision) else "artifact"
        raise NotFound(f"{locator} is of a paper; write {kind}:{item.id}", target=str(locator))
    records = project(item)
    title = item.title if isinstance(item, TreeKnowledge) else records[0].title
    return Opened(item, title, records, _place(records, locator))


def _paper(view: View, locator: Locator) -> Opened:
    paper = view.get_paper(locator)
    context = paper_context(paper.source)
    parts = [one for one in (paper.summary, paper.chunk_set) if one is not None]
    records = tuple(record for part in parts for record in project_artifact(part, context))
    return Opened(paper.source, paper.source.title, records, _place(records, locator))


def _source(view: View, source_id: UUID) -> PaperSourceRevision:
    source = view.get(source_id)
    if not isinstance(source, PaperSourceRevision):
        raise NotFound(f"{source_id} is no paper", target=str(source_id))
    return source


def _place(records: tuple[Record, ...], locator: Locator) -> int:
    if not records:
        raise NotFound(f"{locator}: it holds no text", target=str(locator))
    if locator.member_id is None:
        return 0  # its own text, or where its parts begin
    for shown in (str, address):  # an answer shows it without what is hidden in it
        for place, record in enumerate(records):
            if shown(record.locator) == shown(locator):
                return place
    whole = f"{locator.owner_kind}:{locator.owner_id}"
    raise NotFound(f"{locator}: there is no part of that name with text; {whole} is the whole", target=str(locator))
