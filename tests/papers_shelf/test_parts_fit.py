"""Parts that do not belong together are refused, whether they come from a flow or from a file of lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import write_line
from hybridkb.knowledge.paper_artifacts import PaperArtifact, Span
from hybridkb.knowledge.paper_result import PaperFlowResult
from support.papers import make_chunk_set, make_result, make_summary, make_tree


def with_assets(result: PaperFlowResult, *changes: dict[str, Any]) -> PaperFlowResult:
    """The result with further pictures, each like its first but for some fields."""
    first = result.source.assets[0]
    more = tuple(first.model_copy(update={"asset_id": f"more-{at}", **one}) for at, one in enumerate(changes))
    return replace(result, source=result.source.model_copy(update={"assets": (*result.source.assets, *more)}))


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize(
    "lie",
    [
        lambda result: with_assets(result, {"size": 7}),
        lambda result: with_assets(result, {"size": 7}, {}),
        lambda result: with_assets(result, {"sha256": result.source.sha256}),
        lambda result: replace(result, source=result.source.model_copy(update={"size": 7})),
    ],
)
def test_sizes_are_those_of_the_bytes(
    library: HybridLibrary, lie: Callable[[PaperFlowResult], PaperFlowResult], held: bool
) -> None:
    result = make_result()
    if held:
        library.put_paper(result)
    before = list(library.export())
    with pytest.raises(InvalidInput, match="bytes, not"):
        library.put_paper(replace(lie(result), blobs={} if held else result.blobs))
    assert list(library.export()) == before


@pytest.mark.parametrize("blobs", [None, [], "bytes"])
def test_blobs_are_a_mapping(library: HybridLibrary, blobs: Any) -> None:
    with pytest.raises(InvalidInput, match="mapping"):
        library.put_paper(replace(make_result(), blobs=blobs))


def test_a_passage_is_cited_once_a_page(library: HybridLibrary) -> None:
    result = make_result()
    twice = make_summary(result.source, result.chunk_set, cited=[("c0000", 1), ("c0001", 1), ("c0000", 1)])
    with pytest.raises(InvalidInput, match="twice"):
        library.put_paper(replace(result, summary=twice))


def test_nothing_rests_on_what_was_not_kept(library: HybridLibrary) -> None:
    """A splitter that says something else under the same configuration: the stored chunk set stays."""
    result = make_result(summary=None)
    library.put_paper(result)
    other = make_chunk_set(result.source, chunks=result.chunk_set.chunks[:-1])
    summary = make_summary(result.source, other)
    with pytest.raises(InvalidInput, match=f"keeps {result.chunk_set.id}.*producer_version"):
        library.put_paper(replace(result, chunk_set=other, summary=summary))
    report = library.put_paper(replace(result, chunk_set=other))
    assert (report.artifacts[0].artifact_id, report.artifacts[0].effect) == (result.chunk_set.id, "unchanged")
    kept = library.get_artifact(result.chunk_set.id)
    report = library.put_paper(replace(result, summary=make_summary(result.source, kept)))  # type: ignore[arg-type]
    assert [one.effect for one in report.artifacts] == ["unchanged", "added", "unchanged"]


def forged() -> dict[str, PaperArtifact]:
    """Artifacts with ids of their own content that do not fit the paper of :func:`make_result`."""
    result = make_result()
    source, chunk_set = result.source, result.chunk_set
    first = chunk_set.chunks[0]
    return {
        "another page": chunk_of(result, spans=(Span(page=77, start=0, end=9),)),
        "behind its end": chunk_of(result, spans=(Span(page=1, start=0, end=99_999),)),
        "another text": chunk_of(result, text=first.text + " forged"),
        "no such picture": chunk_of(result, asset_ids=("nobody",)),
        "no such chunk": make_summary(source, chunk_set, cited=[("nobody", 1)], prompt="2"),
        "no such place": make_summary(source, chunk_set, cited=[("c0000", 3)], prompt="2"),
        "no chunk set": make_summary(source, chunk_set, prompt="2").model_copy(
            update={"chunk_set_id": TREE.id, "lineage": (TREE.id,)}
        ),
        "a section behind the end": make_tree(source, (("Behind", 9),)),
    }


def chunk_of(result: PaperFlowResult, **changes: Any) -> PaperArtifact:
    first, *others = result.chunk_set.chunks
    return make_chunk_set(result.source, chunks=(first.model_copy(update=changes), *others))


TREE = make_tree(make_result().source)
FORGED = forged()


@pytest.mark.parametrize("kind", FORGED)
def test_forged_lines_are_refused_as_forged_results_are(open_library: Any, kind: str) -> None:
    library, other = open_library(), open_library("other.db")
    result = make_result(tree=kind != "a section behind the end", blocks_per_chunk=1)
    library.put_paper(result)
    lines = list(library.export())
    with pytest.raises(InvalidInput):
        other.import_lines([*lines, write_line(FORGED[kind])])
    assert list(other.export()) == lines
    report = other.import_lines([*lines, write_line(FORGED[kind])], on_error="skip")
    assert [one.position for one in report.skipped] == [len(lines)]
    assert list(other.export()) == lines
