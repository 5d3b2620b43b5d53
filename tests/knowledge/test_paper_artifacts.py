"""Artifacts: ids made by code from source, configuration and content, and nobody else's accepted."""

from __future__ import annotations

from typing import Any
from uuid import uuid5

import pytest

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.paper_artifacts import (
    ChunkCitation,
    PaperArtifact,
    PaperChunk,
    PaperChunkSet,
    PaperTreeNode,
    Span,
    configuration_hash,
    tree_fault,
)
from support.papers import make_chunk_set, make_result, make_source, make_summary, make_tree

RESULT = make_result()


@pytest.mark.parametrize("artifact", RESULT.artifacts, ids=lambda one: one.item_type)
def test_an_artifact_comes_back_from_json_as_it_was(artifact: PaperArtifact) -> None:
    assert type(artifact).model_validate_json(artifact.model_dump_json()) == artifact
    assert artifact.artifact_kind == artifact.item_type


@pytest.mark.parametrize("artifact", RESULT.artifacts, ids=lambda one: one.item_type)
def test_no_other_id_is_accepted(artifact: PaperArtifact) -> None:
    with pytest.raises(InvalidInput, match="id is not that of source"):
        artifact.model_copy(update={"id": uuid5(artifact.id, "mine")})


@pytest.mark.parametrize("artifact", RESULT.artifacts, ids=lambda one: one.item_type)
def test_another_source_or_configuration_would_need_another_id(artifact: PaperArtifact) -> None:
    with pytest.raises(InvalidInput):
        artifact.model_copy(update={"source_id": uuid5(artifact.source_id, "other")})
    with pytest.raises(InvalidInput, match="configuration hash"):
        artifact.model_copy(update={"configuration": {"characters": 7}})


def test_changed_content_would_need_another_id() -> None:
    summary = RESULT.summary
    assert summary is not None
    with pytest.raises(InvalidInput, match="id is not that"):
        summary.model_copy(update={"text": "Something else."})
    with pytest.raises(InvalidInput, match="id is not that"):
        summary.model_copy(update={"cited": summary.cited[:1]})


def test_the_same_again_has_the_same_id_and_every_difference_another() -> None:
    source, _ = make_source()
    other, _ = make_source("other")
    sets = [make_chunk_set(source), make_chunk_set(source), make_chunk_set(source, blocks_per_chunk=2),
            make_chunk_set(other)]  # fmt: skip
    assert sets[0].id == sets[1].id
    assert len({one.id for one in sets}) == 3


def test_what_a_summary_was_made_from_is_lineage_and_no_part_of_its_id() -> None:
    source, _ = make_source()
    one, two = make_chunk_set(source), make_chunk_set(source, blocks_per_chunk=2)
    cited = [("c0000", 1)]
    first, second = make_summary(source, one, cited=cited), make_summary(source, two, cited=cited)
    assert first.id == second.id
    assert (first.lineage, second.lineage) == ((one.id,), (two.id,))


def test_a_configuration_hash_follows_every_setting_whatever_their_order() -> None:
    hashes = [configuration_hash("p", "1", settings) for settings in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1})]
    hashes += [configuration_hash("p", "2", {"a": 1}), configuration_hash("q", "1", {"a": 1})]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4


def test_artifacts_hold_no_vectors() -> None:
    names = {name for one in RESULT.artifacts for name in type(one).model_fields} | set(PaperChunk.model_fields)
    assert not [name for name in names if "vector" in name or "embedding" in name]


def chunk(position: int = 0, **changes: Any) -> PaperChunk:
    spans = (Span(page=1, start=0, end=1),)
    fields = {"chunk_id": f"c{position:04}", "position": position, "text": "a", "spans": spans}
    return PaperChunk.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        ((chunk(), chunk(1, chunk_id="c0000")), "same id"),
        ((chunk(1),), "count from 0"),
        ((chunk(text=" "),), "blank"),
        ((chunk(spans=()),), "stands nowhere"),
    ],
)
def test_chunks_are_in_order_and_stand_somewhere(chunks: tuple[PaperChunk, ...], reason: str) -> None:
    source, _ = make_source()
    with pytest.raises(InvalidInput, match=reason):
        PaperChunkSet.made(
            producer="p", producer_version="1", configuration={}, source_id=source.id, parse_hash=source.parse_hash,
            chunks=chunks, as_of=source.as_of, source=source.source,
        )  # fmt: skip


def test_a_chunk_knows_its_pages() -> None:
    one = chunk(spans=(Span(page=2, start=0, end=1), Span(page=3, start=0, end=1), Span(page=2, start=4, end=5)))
    assert (one.page, one.pages) == (2, (2, 3))


@pytest.mark.parametrize("changes", [{"text": " "}, {"cited": ()}, {"lineage": ()}])
def test_a_summary_says_something_and_rests_on_something(changes: dict[str, Any]) -> None:
    summary = RESULT.summary
    assert summary is not None
    with pytest.raises(InvalidInput):
        summary.model_copy(update=changes)


def test_a_citation_names_a_page_from_one() -> None:
    with pytest.raises(InvalidInput):
        ChunkCitation(chunk_id="c0001", page=0)


def node(node_id: str, parent: str | None = None, children: tuple[str, ...] = (), **changes: Any) -> PaperTreeNode:
    fields: dict[str, Any] = {"first_page": 1, "last_page": 1} | changes
    return PaperTreeNode(node_id=node_id, parent_id=parent, title=node_id, children_ids=children, **fields)


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ([], "has a root"),
        ([node("0"), node("0", "0")], "two sections"),
        ([node("0"), node("1")], "no parent"),
        ([node("0", "1")], "no parent"),
        ([node("0", children=("1",)), node("1", "2")], "before its parent"),
        ([node("0"), node("1", "0")], "its children"),
        ([node("0", children=("2", "1")), node("1", "0"), node("2", "0")], "its children"),
        ([node("0", first_page=2)], "ends before"),
    ],
)
def test_what_is_no_tree_is_refused(nodes: list[PaperTreeNode], reason: str) -> None:
    assert reason in str(tree_fault(nodes))


def test_members_are_found_by_their_id() -> None:
    source, _ = make_source()
    chunks, tree = make_chunk_set(source), make_tree(source)
    assert chunks.chunk("c0001") is chunks.chunks[1]
    assert chunks.chunk("c9999") is None
    found = tree.node("2")
    assert found is not None
    assert found.title == "2 Model"
    assert tree.node("9") is None


def test_a_result_lists_what_it_has() -> None:
    assert [one.item_type for one in RESULT.artifacts] == ["paper_chunk_set", "paper_summary", "paper_tree"]
    assert [one.item_type for one in make_result(summary=None, tree=False).artifacts] == ["paper_chunk_set"]
