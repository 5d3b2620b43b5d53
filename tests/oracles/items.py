"""Small items for tests: everything that does not matter has a default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hybridkb.knowledge import Document, Earnings, Filing, News, Note, SourceRef, TreeNode, stable_id

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    """An instant, so many days after the first of January 2024."""
    return EPOCH + timedelta(days=number)


def item_id(name: str | int) -> UUID:
    return stable_id("test", name)


def _common(name: str | int, available_at: datetime | None, fields: dict[str, Any]) -> dict[str, Any]:
    common: dict[str, Any] = {
        "id": item_id(name),
        "as_of": EPOCH - timedelta(days=365),
        "available_at": available_at,
        "created_at": EPOCH,
        "source": SourceRef(kind="manual"),
    }
    return common | fields


def note(
    name: str | int, body: str = "", title: str = "", available_at: datetime | None = EPOCH, **fields: Any
) -> Note:
    return Note(title=title, body=body, **_common(name, available_at, fields))


def news(
    name: str | int, body: str = "", headline: str = "", available_at: datetime | None = EPOCH, **fields: Any
) -> News:
    return News(headline=headline, body=body, **_common(name, available_at, fields))


def earnings(
    name: str | int, ticker: str, period: str, available_at: datetime | None = EPOCH, **fields: Any
) -> Earnings:
    return Earnings(ticker=ticker, period=period, **_common(name, available_at, fields))


def filing(
    name: str | int,
    sections: Sequence[str] | dict[str, str],
    title: str = "Annual report",
    available_at: datetime | None = EPOCH,
    root: str = "",
    **fields: Any,
) -> Filing:
    """A filing whose sections hang under the root, each with its text as content."""
    named: Iterable[tuple[str, str]] = (
        sections.items() if isinstance(sections, dict) else ((f"s{place}", text) for place, text in enumerate(sections))
    )
    nodes = {"root": TreeNode(node_id="root", title=title, content=root)}
    for position, (node_id, text) in enumerate(named):
        nodes[node_id] = TreeNode(node_id=node_id, parent_id="root", position=position, content=text)
    return Filing(title=title, root_node_id="root", nodes=nodes, **_common(name, available_at, fields))


def document(
    name: str | int,
    passages: Sequence[str],
    collection: str = "documents",
    available_at: datetime | None = EPOCH,
    path: str = "desk/rules.md",
    **fields: Any,
) -> Document:
    """A document whose passages stand under no heading."""
    nodes = {"document": TreeNode(node_id="document")}
    for place, text in enumerate(passages):
        nodes[f"p{place}"] = TreeNode(node_id=f"p{place}", parent_id="document", position=place, content=text)
    return Document(
        title=path, root_node_id="document", nodes=nodes, path=path, collection=collection,
        **_common(name, available_at, fields),
    )  # fmt: skip
