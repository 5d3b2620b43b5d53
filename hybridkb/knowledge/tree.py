"""Knowledge that is a tree: filings and transcripts with their sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from hybridkb.knowledge.base import KnowledgeModel, Name
from hybridkb.knowledge.frozen_dict import FrozenDict
from hybridkb.knowledge.item import KnowledgeItem
from hybridkb.knowledge.source import Citation
from hybridkb.knowledge.tree_rules import TreeFault, arrange


def _none_is_empty(value: Any) -> Any:
    return "" if value is None else value


OptionalText = Annotated[str, BeforeValidator(_none_is_empty)]
"""Text that may be left out; None is read as empty."""


class TreeNode(KnowledgeModel):
    """One node of a tree.

    Attributes:
        node_id: unique in its tree; the member id of its locator.
        parent_id: the node above; None for the root alone.
        position: order among the children of one parent; unique there.
        title, summary, content: its words; any may be empty.
        citations: the passages this node rests on.
        children_ids: the nodes below, by position.
    """

    node_id: Name
    parent_id: Name | None = None
    position: int = Field(default=0, ge=0)
    title: str = ""
    summary: OptionalText = ""
    content: OptionalText = ""
    citations: tuple[Citation, ...] = ()
    children_ids: tuple[Name, ...] = ()


class TreeKnowledge(KnowledgeItem):
    """Knowledge with parts that can be found and cited one by one.

    ``nodes`` iterates in reading order (parent first, children by position), whatever
    order it was given in. When no node says its ``children_ids``, they are filled in
    from ``parent_id`` and ``position``.

    Attributes:
        title: what the whole is called; not blank.
        root_node_id: the one node without a parent.
        nodes: every node under its own id; cannot be changed.
    """

    title: str
    root_node_id: Name
    nodes: Mapping[str, TreeNode]

    @field_validator("title")
    @classmethod
    def _has_title(cls, value: str) -> str:
        if not value.strip():
            raise PydanticCustomError("blank", "is blank; say what the document is called")
        return value

    @field_validator("nodes")
    @classmethod
    def _is_tree(cls, value: Mapping[str, TreeNode], info: ValidationInfo) -> Mapping[str, TreeNode]:
        if "root_node_id" not in info.data:  # refused already
            return value
        try:
            return FrozenDict(arrange(info.data["root_node_id"], value))
        except TreeFault as fault:
            raise PydanticCustomError("tree", "{reason}", {"reason": str(fault)}) from None


class Filing(TreeKnowledge):
    """A regulatory filing.

    Attributes:
        form: the form's name, such as ``"10-K"``.
        ticker: the filer's listed symbol.
        period: the fiscal period it reports on.
    """

    item_type: Literal["filing"] = "filing"
    form: Name | None = None
    ticker: Name | None = None
    period: Name | None = None


class Transcript(TreeKnowledge):
    """A transcript of a call or conference.

    Attributes:
        ticker: the company's listed symbol.
        period: the fiscal period discussed.
        event: what was held, such as ``"Q3 2024 earnings call"``.
    """

    item_type: Literal["transcript"] = "transcript"
    ticker: Name | None = None
    period: Name | None = None
    event: str | None = None
