"""Whatever a locator points to: an item, a paper, what was made of it, or a part of one of these."""

from __future__ import annotations

from typing import TypeAlias

from hybridkb.database import Connection
from hybridkb.errors import InvalidInput, NotFound
from hybridkb.knowledge import KnowledgeItem, Locator, TreeKnowledge, TreeNode
from hybridkb.knowledge.paper_artifacts import PaperArtifact, PaperChunk, PaperChunkSet, PaperTree, PaperTreeNode
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.store.paper_reading import artifact_of
from hybridkb.store.reading import Sight, read_revision, seen

Resolved: TypeAlias = KnowledgeItem | TreeNode | PaperChunk | PaperTreeNode
"""What a locator may point to: an item (also a paper or an artifact), or a part of one."""


def resolve(connection: Connection, locator: Locator, sight: Sight) -> Resolved:
    """Read what a locator points to.

    Raises:
        NotFound: no such owner or member, or not seen from there.
        InvalidInput: the owner has no members.
        BrokenInvariant: it is stored damaged.
    """
    owner_id = str(locator.owner_id)
    if locator.owner_kind == "artifact":
        return member_of(artifact_of(connection, owner_id, sight), locator)
    item = read_revision(connection, *seen(connection, owner_id, sight, kind=locator.owner_kind))
    if owner_kind_of(item) != locator.owner_kind:
        raise NotFound(
            f"the library holds no {locator.owner_kind} {owner_id}, but a {item.item_type} with that id: "
            f"{owner_kind_of(item)}:{owner_id}",
            target=str(locator),
        )
    return member_of(item, locator)


def owner_kind_of(item: KnowledgeItem) -> str:
    """What a locator calls an item."""
    if isinstance(item, PaperArtifact):
        return "artifact"
    return "source" if isinstance(item, PaperSourceRevision) else "item"


def member_of(item: KnowledgeItem, locator: Locator) -> Resolved:
    """The item itself, or the part of it that a locator names.

    Raises:
        NotFound: no such part.
        InvalidInput: the item has no members.
    """
    if locator.member_id is None:
        return item
    found: TreeNode | PaperChunk | PaperTreeNode | None
    if isinstance(item, TreeKnowledge):
        found = item.nodes.get(locator.member_id)
    elif isinstance(item, PaperChunkSet):
        found = item.chunk(locator.member_id)
    elif isinstance(item, PaperTree):
        found = item.node(locator.member_id)
    else:
        raise InvalidInput(
            f"{locator}: a {item.item_type} has no members; leave out the part behind #", field="locator"
        )
    if found is None:
        owner, part = ("item", "node") if isinstance(item, TreeKnowledge) else ("artifact", "member")
        raise NotFound(f"{locator}: the {owner} has no {part} {locator.member_id!r}", target=str(locator))
    return found
