"""The structure of a paper as an artifact: which section stands on which pages. No model takes part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hybridkb.knowledge.paper_artifacts import PaperTree, PaperTreeNode
from hybridkb.knowledge.paper_source import PaperPage, PaperSourceRevision
from hybridkb.papers.artifact_fields import shared_fields, with_variant
from hybridkb.papers.sections import LEFT_OUT, Section, find_sections, one_line

PRODUCER = "hybridkb.papers.tree"
PRODUCER_VERSION = "2"
"""Changes whenever the same paper would give another tree."""


def build_tree(source: PaperSourceRevision, *, variant: str = "") -> PaperTree:
    """Build the tree of sections from the outline, else the headings, else one section for each page.

    Args:
        source: the paper.
        variant: a label that keeps this tree apart from another one made the same way.
    """
    basis, sections = find_sections(source)
    if not sections:
        sections = tuple(Section(0, f"Page {page.label or page.number}", page.number, 0) for page in source.pages)
    return PaperTree.made(
        producer=PRODUCER,
        producer_version=PRODUCER_VERSION,
        configuration=with_variant({}, variant),
        basis=basis,
        nodes=tuple(_nodes(source, sections)),
        **shared_fields(source),
    )


@dataclass(slots=True)
class _Open:
    """A section whose end is not reached yet."""

    section: Section | None
    node_id: str
    parent_id: str | None
    last_page: int
    children: list[str] = field(default_factory=list)


def _nodes(source: PaperSourceRevision, sections: Sequence[Section]) -> list[PaperTreeNode]:
    """Root and sections, parents first; a level that is skipped is closed up."""
    root = _Open(None, "0", None, max(1, len(source.pages)))
    made, path = [root], [root]
    last_pages = _last_pages(source, sections)
    for at, section in enumerate(sections):
        while len(path) > 1 and (above := path[-1].section) is not None and above.level >= section.level:
            path.pop()
        parent = path[-1]
        number = len(parent.children) + 1
        node_id = str(number) if parent is root else f"{parent.node_id}.{number}"
        parent.children.append(node_id)
        path.append(_Open(section, node_id, parent.node_id, last_pages[at]))
        made.append(path[-1])
    return [_node(one, source) for one in made]


def _node(one: _Open, source: PaperSourceRevision) -> PaperTreeNode:
    section = one.section
    return PaperTreeNode(
        node_id=one.node_id,
        parent_id=one.parent_id,
        title=one_line(source.title) if section is None else section.title,
        first_page=1 if section is None else section.page,
        last_page=one.last_page,
        start=0 if section is None else section.start,
        children_ids=tuple(one.children),
    )


def _last_pages(source: PaperSourceRevision, sections: Sequence[Section]) -> list[int]:
    """The last page of each section: the one before the next section that is not inside it, or that section's page if
    something stands on it above."""
    last_pages = [len(source.pages)] * len(sections)
    ahead: list[Section] = []
    for at in range(len(sections) - 1, -1, -1):
        section = sections[at]
        while ahead and ahead[-1].level > section.level:
            ahead.pop()
        if ahead:
            end = ahead[-1]
            begins_page = not _holds_text_before(source.pages[end.page - 1], end.start)
            last_pages[at] = max(section.page, end.page - 1 if begins_page else end.page)
        ahead.append(section)
    return last_pages


def _holds_text_before(page: PaperPage, start: int) -> bool:
    first = next((block.start for block in page.blocks if block.role not in LEFT_OUT), start)
    return first < start
