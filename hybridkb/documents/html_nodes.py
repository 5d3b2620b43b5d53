"""Nodes of an HTML tree: which of them a reader sees, and the text they show. No recursion, however deep they nest."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SKIPPED = frozenset(
    """
    script style template nav noscript iframe object embed svg canvas video audio map select option button textarea
    input datalist dialog head title meta link base
    """.split()
)
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_APART = frozenset("br p div li tr td th dt dd h1 h2 h3 h4 h5 h6 ul ol table".split())


def is_hidden(node: LexborNode) -> bool:
    """Whether an element and all within it stays out: no text for readers, navigation, or marked hidden."""
    tag = node.tag or ""
    if tag in _SKIPPED or tag.startswith(("-", "!")):
        return True
    attributes = node.attributes
    if not attributes or tag in ("html", "body"):
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or attributes.get("role") == "navigation"
        or bool(_INVISIBLE.search(attributes.get("style") or ""))
    )


def walk(root: LexborNode, enter: Callable[[LexborNode], bool], leave: Callable[[LexborNode], None]) -> None:
    """Go through a tree in reading order.

    Args:
        root: where to begin; it is entered too.
        enter: is given each node, and says whether its children are to be walked.
        leave: is given each node that was entered so, after its children.
    """
    node: LexborNode | None = root
    while node is not None:
        entered = enter(node)
        if entered and node.child is not None:
            node = node.child
            continue
        if entered:
            leave(node)
        node = _after(node, root, leave)


def _after(node: LexborNode, root: LexborNode, leave: Callable[[LexborNode], None]) -> LexborNode | None:
    """The next neighbour, of the node or of the nearest node above that has one; these are left."""
    while node.mem_id != root.mem_id:
        if node.next is not None:
            return node.next
        if node.parent is None:
            return None
        node = node.parent
        leave(node)
    return None


def visible_text(root: LexborNode, *, as_written: bool = False) -> str:
    """The text within an element. What stands apart is parted by spaces; kept as written, only breaks are told."""
    only = root.child
    if only is not None and only.next is None and only.tag == "-text":
        return only.text_content or ""
    parts: list[str] = []

    def enter(node: LexborNode) -> bool:
        tag = node.tag or ""
        if tag == "-text":
            parts.append(node.text_content or "")
            return False
        if node.mem_id != root.mem_id and is_hidden(node):
            return False
        if tag == "img":
            parts.append(node.attributes.get("alt") or "")
        if as_written:
            parts.append("\n" if tag == "br" else "")
        elif tag in _APART:
            parts.append(" ")
        return True

    def leave(node: LexborNode) -> None:
        if not as_written and node.tag in _APART:
            parts.append(" ")

    walk(root, enter, leave)
    return "".join(parts)
