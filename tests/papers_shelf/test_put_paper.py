"""A paper goes in whole or not at all, is not stored twice, and embeds only what is new."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import EmbedderError, EmbedderUnavailable, InvalidInput
from hybridkb.knowledge import SourceRef
from hybridkb.knowledge.paper_artifacts import PaperChunkSet
from hybridkb.knowledge.paper_source import PaperSourceRevision, blob_name
from oracles.items import day
from support.fake_embedder import HashEmbedder
from support.papers import (
    PAGES,
    make_chunk_set,
    make_result,
    make_source,
    make_summary,
    make_tree,
    paper_bytes,
    result_of,
)

KINDS = ["paper_chunk_set", "paper_summary", "paper_tree"]


def test_everything_comes_back_equal(library: HybridLibrary) -> None:
    result = make_result(arxiv_id="1706.03762v7", tags=("nlp",))
    report = library.put_paper(result)
    assert (report.source_id, report.effect) == (result.source.id, "added")
    assert [(one.kind, one.effect, one.current) for one in report.artifacts] == [
        (kind, "added", True) for kind in KINDS
    ]
    assert (report.records, report.embedded, report.pending, report.degraded) == (10, 10, 0, None)
    assert (report.blobs, report.blob_bytes) == (4, sum(map(len, result.blobs.values())))
    paper = library.get_paper(result.source.id)
    assert (paper.source, paper.chunk_set, paper.summary, paper.tree) == (
        result.source, result.chunk_set, result.summary, result.tree,
    )  # fmt: skip
    for artifact in result.artifacts:
        assert library.get_artifact(artifact.id) == artifact == library.get(artifact.id)
    assert {name: library.get_blob(name) for name in result.source.blobs} == result.blobs


def test_records_are_chunks_summary_and_sections(library: HybridLibrary) -> None:
    result = make_result(arxiv_id="1706.03762v7", tags=("nlp",))
    library.put_paper(result)
    hits = {str(hit.locator): hit for hit in library.search("", mode="lexical", top_k=50)} or {
        str(hit.locator): hit for hit in library.search("attention OR recurrent OR translation OR encoder", top_k=50)
    }
    chunk = hits[f"artifact:{result.chunk_set.id}#c0002"]
    assert (chunk.item_id, chunk.node_id, chunk.item_type) == (None, None, "paper_chunk_set")
    assert (chunk.artifact_id, chunk.artifact_kind) == (result.chunk_set.id, "paper_chunk_set")
    assert (chunk.member_id, chunk.source_id, chunk.page) == ("c0002", result.source.id, 2)
    assert chunk.title == "Attention in Tests > 2 Model"
    assert chunk.matched_text.endswith(result.chunk_set.chunks[2].text)
    assert [(one.source_id, one.page) for one in chunk.citations] == [(str(result.source.id), 2)]
    assert (chunk.projection.kind, chunk.projection.modality, chunk.revision) == ("paper_chunk_set", "text", 1)
    summary = hits[f"artifact:{result.summary.id}"]  # type: ignore[union-attr]
    assert (summary.member_id, summary.page, summary.source_id) == (None, None, result.source.id)
    assert [(one.page, one.node_id) for one in summary.citations] == [
        (1, "c0000"), (1, "c0001"), (2, "c0002"), (2, "c0003"), (3, "c0004")
    ]  # fmt: skip
    section = hits[f"artifact:{result.tree.id}#2"]  # type: ignore[union-attr]
    assert (section.title, section.page, section.matched_text) == (
        "Attention in Tests > 2 Model", 2, "Attention in Tests > 2 Model"
    )  # fmt: skip
    assert not any(locator.startswith("source:") for locator in hits)


def test_the_arxiv_id_ranks_first_whatever_its_version(library: HybridLibrary) -> None:
    result = make_result(arxiv_id="1706.03762v7", doi="10.48550/arXiv.1706.03762")
    library.put_paper(result)
    library.put_paper(make_result("another", title="Another", arxiv_id="2101.00001v1"))
    for name in ("1706.03762v7", "1706.03762", "10.48550/arXiv.1706.03762"):
        hits = library.search(name, mode="lexical", top_k=3)
        assert {hit.source_id for hit in hits} == {result.source.id}, name
        assert all(hit.explanation.guarded for hit in hits)


def test_putting_it_again_writes_and_embeds_nothing(library: HybridLibrary, embedder: HashEmbedder) -> None:
    result = make_result()
    library.put_paper(result)
    before, calls = library.stats(), embedder.document_calls
    report = library.put_paper(replace(result, blobs={}))
    assert [one.effect for one in report.artifacts] == ["unchanged"] * 3
    assert (report.effect, report.records, report.embedded, report.blobs) == ("unchanged", 0, 0, 0)
    assert library.stats() == before
    assert embedder.document_calls == calls


def test_reopening_embeds_nothing(open_library: Any) -> None:
    open_library().put_paper(make_result())
    later = HashEmbedder(16)
    library = open_library(embedder=later)
    assert library.search("attention", artifact_kinds=["paper_chunk_set"]).mode == "hybrid"
    library.put_paper(make_result())
    library.rebuild()
    assert later.document_texts == []


def test_splitting_anew_embeds_only_new_texts(library: HybridLibrary, embedder: HashEmbedder) -> None:
    result = make_result(blocks_per_chunk=1, summary=None)
    library.put_paper(result)
    embedder.document_texts.clear()
    other = make_result(blocks_per_chunk=2, summary=None)
    report = library.put_paper(other)
    assert [(one.kind, one.effect) for one in report.artifacts] == [
        ("paper_chunk_set", "added"), ("paper_tree", "unchanged")
    ]  # fmt: skip
    old = {chunk.text for chunk in result.chunk_set.chunks}
    fresh = [chunk.text for chunk in other.chunk_set.chunks if chunk.text not in old]
    assert len(embedder.document_texts) == len(fresh) == report.embedded == 2
    assert report.reused == 1


def test_summarising_anew_touches_the_summary_alone(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put_paper(make_result())
    embedder.document_texts.clear()
    report = library.put_paper(make_result(summary="Attention is enough.", prompt="2"))
    assert [one.effect for one in report.artifacts] == ["unchanged", "added", "unchanged"]
    assert embedder.document_texts == ["Attention in Tests\n\nAttention is enough."]
    assert library.get_paper(report.source_id).summary.text == "Attention is enough."  # type: ignore[union-attr]


def test_the_same_configuration_keeps_what_is_stored(library: HybridLibrary) -> None:
    first = make_result(summary="The first wording.")
    library.put_paper(first)
    report = library.put_paper(make_result(summary="A model never says it twice in the same way."))
    assert report.artifacts[1].effect == "unchanged"
    assert report.artifacts[1].artifact_id == first.summary.id  # type: ignore[union-attr]
    assert library.get_paper(report.source_id).summary == first.summary


def test_a_summary_of_another_chunk_set_is_a_sibling(library: HybridLibrary) -> None:
    first, second = make_result(summary="One."), make_result(summary="Two.", blocks_per_chunk=2)
    library.put_paper(first)
    report = library.put_paper(second)
    assert [one.effect for one in report.artifacts] == ["added", "added", "unchanged"]
    paper = library.get_paper(report.source_id)
    assert paper.summary == second.summary
    assert [(one.kind, one.current) for one in paper.artifacts] == [
        ("paper_chunk_set", True), ("paper_chunk_set", False), ("paper_summary", True), ("paper_summary", False),
        ("paper_tree", True),
    ]  # fmt: skip


def test_a_summary_may_rest_on_a_chunk_set_that_is_held(library: HybridLibrary) -> None:
    source, blobs = make_source()
    held, other = make_chunk_set(source), make_chunk_set(source, blocks_per_chunk=2)
    library.put_paper(replace(result_of(source, blobs, summary=None), chunk_set=held))
    summary = make_summary(source, held, "Of the earlier chunks.")
    report = library.put_paper(replace(result_of(source, blobs), chunk_set=other, summary=summary, tree=None))
    assert [one.effect for one in report.artifacts] == ["added", "added"]


def test_without_an_embedder_words_are_all_there_is(open_library: Any) -> None:
    library = open_library(embedder=None)
    report = library.put_paper(make_result())
    assert (report.embedded, report.pending) == (0, 10)
    assert report.degraded
    assert library.search("multi-head attention", artifact_kinds=["paper_chunk_set"])[0].member_id == "c0002"


@pytest.mark.parametrize("error", [EmbedderUnavailable("down"), EmbedderError("unusable")])
def test_a_failed_embedding_stores_nothing(library: HybridLibrary, embedder: HashEmbedder, error: Exception) -> None:
    result = make_result()
    embedder.fail_with = error
    before = library.stats()
    with pytest.raises(type(error)):
        library.put_paper(result)
    assert library.stats() == before
    embedder.fail_with = None
    assert library.put_paper(result).effect == "added", "a retry does all of it"


def test_an_embedder_that_cannot_say_its_space_stores_nothing(open_library: Any) -> None:
    class Unreachable(HashEmbedder):
        @property
        def space(self) -> Any:
            raise EmbedderUnavailable("no such host")

        @space.setter
        def space(self, _: Any) -> None:
            pass

    library = open_library(embedder=Unreachable(8))
    with pytest.raises(EmbedderUnavailable, match="no such host"):
        library.put_paper(make_result())
    assert library.stats().items == 0
    report = library.put_paper(make_result(), require_embeddings=False)
    assert (report.pending, report.effect) == (10, "added")


def test_a_failed_embedding_may_be_allowed(library: HybridLibrary, embedder: HashEmbedder) -> None:
    embedder.fail_with = ConnectionError("down")
    report = library.put_paper(make_result(), require_embeddings=False)
    assert (report.pending, report.records) == (10, 10)
    assert "down" in (report.degraded or "")
    embedder.fail_with = None
    assert library.embed_pending().embedded == 10


def test_progress_is_told(library: HybridLibrary) -> None:
    told: list[tuple[int, int | None]] = []
    library.put_paper(make_result(), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (10, 10)


def test_a_paper_without_text_is_stored(library: HybridLibrary) -> None:
    result = make_result(pages=((), ()), summary=None, tree=False)
    assert result.chunk_set.chunks == ()
    report = library.put_paper(result)
    assert report.records == 0
    library.rebuild()
    assert library.get_paper(result.source.id).chunk_set == result.chunk_set


def test_two_papers_share_a_blob(library: HybridLibrary) -> None:
    first, blobs = make_source("one")
    second, others = make_source("two", pictures=False)
    shared = second.model_copy(update={"assets": first.assets})
    library.put_paper(result_of(first, blobs))
    names = {name: {**blobs, **others}[name] for name in shared.blobs}
    assert library.put_paper(result_of(shared, names)).blobs == 1
    assert library.stats().blobs == 5


@pytest.mark.parametrize("kind", ["source", "chunk_set", "summary", "tree"])
def test_parts_of_a_paper_are_not_put_on_their_own(library: HybridLibrary, kind: str) -> None:
    part = getattr(make_result(), kind)
    with pytest.raises(InvalidInput, match="put_paper"):
        library.put(part)
    assert library.put_many([part], on_error="skip").skipped[0].item_id == str(part.id)
    with pytest.raises(InvalidInput, match="put_paper"):
        library.embed_ahead([part])


def broken(what: str) -> Any:
    """A result of which one thing does not fit."""
    source, blobs = make_source()
    result = result_of(source, blobs)
    other, other_blobs = make_source("other")
    chunk = result.chunk_set.chunks[0]
    picture = source.assets[0]
    match what:
        case "no result":
            return source
        case "another source":
            return replace(result, chunk_set=make_chunk_set(other))
        case "another text":
            return replace(result, tree=make_tree(make_source(pages=PAGES[:2])[0]))
        case "other times":
            return replace(result, chunk_set=make_chunk_set(source, available_at=day(3)))
        case "another address":
            elsewhere = SourceRef(kind="http", uri="https://example.org")
            return replace(result, tree=make_tree(source).model_copy(update={"source": elsewhere}))
        case "missing bytes":
            return replace(result, blobs={source.sha256: blobs[source.sha256]})
        case "damaged bytes":
            return replace(result, blobs={**blobs, picture.sha256: b"\0" * picture.size})
        case "wrong size":
            wrong = source.model_copy(update={"size": source.size + 1})
            return result_of(wrong, blobs)
        case "bytes of nobody":
            return replace(result, blobs={**blobs, **other_blobs})
        case "text is not bytes":
            return replace(result, blobs={**blobs, source.sha256: "text"})
        case "chunk text":
            return replace(result, chunk_set=with_chunk(source, chunk.model_copy(update={"text": "Something else."})))
        case "span behind the page":
            spans = (chunk.spans[0].model_copy(update={"end": 100_000}),)
            return replace(result, chunk_set=with_chunk(source, chunk.model_copy(update={"spans": spans})))
        case "page that is not there":
            spans = (chunk.spans[0].model_copy(update={"page": 99}),)
            return replace(result, chunk_set=with_chunk(source, chunk.model_copy(update={"spans": spans})))
        case "picture that is not there":
            return replace(result, chunk_set=with_chunk(source, chunk.model_copy(update={"asset_ids": ("none",)})))
        case "unknown chunk":
            return replace(result, summary=make_summary(source, result.chunk_set, cited=[("c9999", 1)]))
        case "page of another chunk":
            return replace(result, summary=make_summary(source, result.chunk_set, cited=[("c0000", 3)]))
        case "unknown lineage":
            return replace(result, summary=make_summary(source, make_chunk_set(source, blocks_per_chunk=7)))
        case "section behind the paper":
            return replace(result, tree=make_tree(source, [("1 Introduction", 9)]))
        case "exchanged":
            return replace(result, summary=result.tree)
        case _:
            raise AssertionError(what)


def with_chunk(source: PaperSourceRevision, chunk: Any) -> PaperChunkSet:
    whole = make_chunk_set(source)
    return make_chunk_set(source, chunks=(chunk, *whole.chunks[1:]))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("no result", "PaperFlowResult"),
        ("another source", "of source"),
        ("another text", "parse_hash"),
        ("other times", "available_at"),
        ("another address", "its source is not"),
        ("missing bytes", "neither in the result's blobs nor in the library"),
        ("damaged bytes", "not those that the name"),
        ("wrong size", "bytes, not"),
        ("bytes of nobody", "leave it out"),
        ("text is not bytes", "not bytes"),
        ("chunk text", "not that of its spans"),
        ("span behind the page", "which is not there"),
        ("page that is not there", "which is not there"),
        ("picture that is not there", "picture"),
        ("unknown chunk", "cites chunk 'c9999'"),
        ("page of another chunk", "cites chunk 'c0000' on page 3"),
        ("unknown lineage", "neither put with"),
        ("section behind the paper", "ends on page 9"),
        ("exchanged", "summary is a PaperGlobalSummary"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_written(
    library: HybridLibrary, embedder: HashEmbedder, what: str, said: str
) -> None:
    before = library.stats()
    with pytest.raises(InvalidInput, match=said):
        library.put_paper(broken(what))
    assert library.stats() == before
    assert embedder.document_calls == 0


def test_the_bytes_name_the_paper() -> None:
    source, blobs = make_source("name")
    assert source.sha256 == blob_name(paper_bytes("name"))
    assert blobs[source.sha256] == paper_bytes("name")
