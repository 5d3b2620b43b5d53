"""What makes a set of nodes one tree; each rule is a function that names the node at fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import BaseModel

if TYPE_CHECKING:
    from hybridkb.knowledge.tree import TreeNode

Nodes = Mapping[str, "TreeNode"]
Children = dict[str, list["TreeNode"]]


class TreeFault(Exception):
    """The nodes do not form one tree; the text says where and how to mend it."""


def arrange(root_node_id: str, nodes: Nodes) -> dict[str, TreeNode]:
    """Check that the nodes form one tree, and return them in reading order with their ``children_ids``.

    Raises:
        TreeFault: they do not.
    """
    _check_keys(nodes)
    _check_root(root_node_id, nodes)
    _check_parents(root_node_id, nodes)
    children = _group_by_parent(nodes)
    order = list(_reading_order(nodes[root_node_id], children))
    _check_reached(order, nodes)
    if not any(node.children_ids for node in order):
        order = [_with_children(node, children) for node in order]
    _check_children(order, children)
    return {node.node_id: node for node in order}


def _check_keys(nodes: Nodes) -> None:
    for key, node in nodes.items():
        if key != node.node_id:
            raise TreeFault(f"the node {node.node_id!r} is listed under {key!r}; list each node under its own node_id")


def _check_root(root_node_id: str, nodes: Nodes) -> None:
    if root_node_id not in nodes:
        raise TreeFault(f"root_node_id {root_node_id!r} is not among the nodes; add that node or name another")
    parent_id = nodes[root_node_id].parent_id
    if parent_id is not None:
        raise TreeFault(f"the root {root_node_id!r} has the parent {parent_id!r}; a root has none")


def _check_parents(root_node_id: str, nodes: Nodes) -> None:
    for node_id, node in nodes.items():
        if node.parent_id is None and node_id != root_node_id:
            raise TreeFault(f"{node_id!r} has no parent, but the root is {root_node_id!r}; a tree has one root")
        if node.parent_id is not None and node.parent_id not in nodes:
            raise TreeFault(f"the parent {node.parent_id!r} of {node_id!r} is not among the nodes; add it")


def _group_by_parent(nodes: Nodes) -> Children:
    children: Children = {}
    for node in nodes.values():
        if node.parent_id is not None:
            children.setdefault(node.parent_id, []).append(node)
    for parent_id, siblings in children.items():
        siblings.sort(key=lambda node: node.position)
        _check_positions(parent_id, siblings)
    return children


def _check_positions(parent_id: str, siblings: list[TreeNode]) -> None:
    for left, right in pairwise(siblings):
        if left.position == right.position:
            raise TreeFault(
                f"{left.node_id!r} and {right.node_id!r} under {parent_id!r} share position {left.position}; "
                "number the children of one parent apart"
            )


def _reading_order(root: TreeNode, children: Children) -> Iterator[TreeNode]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children.get(node.node_id, ())))


def _check_reached(order: list[TreeNode], nodes: Nodes) -> None:
    """Every node has one parent, so whatever the root does not reach hangs on a circle."""
    if len(order) < len(nodes):
        lost = min(nodes.keys() - {node.node_id for node in order})
        raise TreeFault(f"{lost!r} is on or below a cycle of parents that never reaches the root; mend its parent_id")


def _with_children(node: TreeNode, children: Children) -> TreeNode:
    below = children.get(node.node_id)
    if not below:
        return node
    return BaseModel.model_copy(node, update={"children_ids": tuple(child.node_id for child in below)})


def _check_children(order: list[TreeNode], children: Children) -> None:
    for node in order:
        expected = tuple(child.node_id for child in children.get(node.node_id, ()))
        if node.children_ids != expected:
            raise TreeFault(
                f"children_ids of {node.node_id!r} is {list(node.children_ids)}, but by parent_id and position its "
                f"children are {list(expected)}; make them agree, or leave children_ids out of every node"
            )
