"""Ready items, and Hypothesis strategies for any item."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from hybridkb.knowledge import (
    SOURCE_CLASSES,
    Citation,
    Earnings,
    ExtractionRef,
    Factor,
    Filing,
    KnowledgeItem,
    News,
    Note,
    Provenance,
    SourceRef,
    Thesis,
    Transcript,
    TreeNode,
)

ID = UUID("11111111-2222-4333-8444-555555555555")
AS_OF = datetime(2024, 3, 1, 12, tzinfo=UTC)
CREATED = datetime(2024, 3, 2, tzinfo=UTC)


def common(**changes: Any) -> dict[str, Any]:
    """The fields that every item needs."""
    return {"id": ID, "as_of": AS_OF, "created_at": CREATED, "source": SourceRef(kind="manual")} | changes


def note(**changes: Any) -> Note:
    return Note(**common(title="Copper", body="Supply gap widens.") | changes)


def nodes(*rows: tuple[str, str | None, int], **fields: Any) -> dict[str, TreeNode]:
    """Nodes from rows of (id, parent, position), titled by their id."""
    return {
        node_id: TreeNode(node_id=node_id, parent_id=parent, position=position, title=node_id.title(), **fields)
        for node_id, parent, position in rows
    }


def filing(**changes: Any) -> Filing:
    tree = nodes(("root", None, 0), ("risk", "root", 1), ("business", "root", 0), ("rates", "risk", 0))
    return Filing(**common(title="Annual report", root_node_id="root", nodes=tree) | changes)


texts = st.text(st.characters(codec="utf-8"), max_size=40)
names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12).filter(str.strip)
moments = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))
maybe_text = st.none() | texts
maybe_name = st.none() | names
maybe_moment = st.none() | moments
figures = st.none() | st.floats(allow_nan=False, allow_infinity=False) | texts
citations = st.builds(
    Citation,
    source_id=names,
    page=st.none() | st.integers(1, 999),
    quote=maybe_text,
    tree_id=st.none() | st.uuids(),
    node_id=maybe_text,
)
sources = st.builds(
    SourceRef,
    kind=st.sampled_from(["arxiv", "http", "doi", "local", "rss", "transcript", "manual"]),
    uri=maybe_text,
    published_at=maybe_moment,
    fetched_at=maybe_moment,
    content_hash=maybe_text,
)
extractions = st.builds(ExtractionRef, producer=maybe_text, model=maybe_text, run_id=maybe_text, run_at=maybe_moment)
cards = st.builds(
    Provenance,
    source=st.sampled_from(SOURCE_CLASSES),
    kind=maybe_text,
    doc_date=st.none() | st.dates(),
    verdict=maybe_text,
    link=maybe_text,
)
shared = {
    "id": st.uuids(),
    "as_of": moments,
    "available_at": maybe_moment,
    "created_at": moments,
    "source": sources,
    "extraction": st.none() | extractions,
    "confidence": st.sampled_from(["low", "medium", "high"]),
    "citations": st.lists(citations, max_size=2),
    "tags": st.lists(names, max_size=3),
    "disclaimers": st.lists(texts, max_size=2),
    "provenance": st.none() | cards,
}


@st.composite
def forests(draw: st.DrawFn) -> dict[str, TreeNode]:
    """The nodes of any tree rooted at ``n0``, in any order, siblings at any distinct positions."""
    count = draw(st.integers(1, 12))
    parents = [None] + [f"n{draw(st.integers(0, index - 1))}" for index in range(1, count)]
    positions = draw(st.permutations(range(count)))
    made = [
        TreeNode(
            node_id=f"n{index}",
            parent_id=parents[index],
            position=positions[index],
            title=draw(texts),
            content=draw(maybe_text),
            citations=draw(st.lists(citations, max_size=1)),
        )
        for index in range(count)
    ]
    return {node.node_id: node for node in draw(st.permutations(made))}


trees: dict[str, Any] = {"title": names, "root_node_id": st.just("n0"), "nodes": forests()}

items: st.SearchStrategy[KnowledgeItem] = st.one_of(
    st.builds(Note, **shared, title=texts, body=texts),
    st.builds(News, **shared, headline=texts, body=texts, timestamp=maybe_moment, entities=st.lists(names, max_size=2)),
    st.builds(Earnings, **shared, ticker=names, period=names, revenue=figures, eps=figures, guidance=maybe_text),
    st.builds(Factor, **shared, factor_name=names, description=texts, universe=maybe_text),
    st.builds(Thesis, **shared, claim=texts, rationale=texts),
    st.builds(Filing, **shared, **trees, form=maybe_name, ticker=maybe_name, period=maybe_name),
    st.builds(Transcript, **shared, **trees, ticker=maybe_name, event=maybe_text),
)
