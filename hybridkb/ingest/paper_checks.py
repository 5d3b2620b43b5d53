"""Is what a flow hands over whole? Everything is checked before a paper is written; code trusts no producer.

What can be told without the library is checked here; lineage and citations into artifacts that the library holds are
checked where it is read (:mod:`hybridkb.ingest.paper_plan`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.blob_lines import MAX_BLOB_BYTES
from hybridkb.knowledge.paper_artifacts import (
    PaperArtifact,
    PaperChunk,
    PaperChunkSet,
    PaperGlobalSummary,
    PaperTree,
    Span,
)
from hybridkb.knowledge.paper_result import PaperFlowResult
from hybridkb.knowledge.paper_source import PaperSourceRevision, blob_name

_SHARED = ("available_at", "as_of", "source")
_KINDS = {"chunk_set": PaperChunkSet, "summary": PaperGlobalSummary, "tree": PaperTree}


def check_result(result: Any) -> PaperFlowResult:
    """Check a flow's result as far as it can be without the library.

    Raises:
        InvalidInput: says what does not fit, and where.
    """
    if not isinstance(result, PaperFlowResult):
        raise InvalidInput(
            f"put_paper() takes a PaperFlowResult, as paper_flow() returns one, not {type(result).__name__}",
            field="result",
        )
    if type(result.source) is not PaperSourceRevision:
        raise InvalidInput(f"the source is a PaperSourceRevision, not {type(result.source).__name__}", field="source")
    for name, kind in _KINDS.items():
        artifact = getattr(result, name)
        if type(artifact) is not kind and (artifact is not None or name == "chunk_set"):
            raise InvalidInput(f"{name} is a {kind.__name__}, not {type(artifact).__name__}", field=name)
    check_blobs(result.source, result.blobs)
    for artifact in result.artifacts:
        check_artifact(artifact, result.source)
    return result


def check_blobs(source: PaperSourceRevision, blobs: Mapping[str, bytes]) -> None:
    """Check that the bytes are those of their names and of the sizes that the source tells.

    Names without bytes are left to the library, which may hold them.

    Raises:
        InvalidInput: a blob is not what its name says, or nobody needs it.
    """
    if not isinstance(blobs, Mapping):
        raise InvalidInput(f"blobs is a mapping of names to bytes, not {type(blobs).__name__}", field="blobs")
    for name, data in blobs.items():
        if name not in source.blobs:
            raise InvalidInput(
                f"blob {name!r} is neither the paper nor one of its pictures; leave it out", field="blobs"
            )
        if not isinstance(data, bytes):
            raise InvalidInput(f"blob {name} is {type(data).__name__}, not bytes", field="blobs")
        if len(data) > MAX_BLOB_BYTES:
            raise InvalidInput(
                f"blob {name} has {len(data):,} bytes, at most {MAX_BLOB_BYTES:,} are kept; give a smaller file",
                field="blobs",
            )
        if blob_name(data) != name:
            raise InvalidInput(f"blob {name}: its bytes are not those that the name says", field="blobs")
    check_sizes(source, {name: len(data) for name, data in blobs.items()})


def check_sizes(source: PaperSourceRevision, sizes: Mapping[str, int]) -> None:
    """Check that a source tells the sizes that its blobs have; those that are not listed are passed over.

    Raises:
        InvalidInput: it tells another one.
    """
    told = [(source.sha256, source.size, "the source"), *((a.sha256, a.size, a.asset_id) for a in source.assets)]
    for name, size, where in told:
        if sizes.get(name, size) != size:
            raise InvalidInput(
                f"blob {name} has {sizes[name]:,} bytes, not {size:,} as {where} says; say its real size", field="size"
            )


def check_artifact(artifact: PaperArtifact, source: PaperSourceRevision) -> None:
    """Check an artifact against the paper that it was made from.

    Raises:
        InvalidInput: it is of another paper or another text of it, or something in it stands nowhere in that text.
    """
    fault = next(_faults(artifact, source), None)
    if fault is not None:
        raise InvalidInput(f"the {artifact.item_type} {artifact.id} does not fit its paper: {fault}", field="result")


def check_cited(summary: PaperGlobalSummary, chunk_set: PaperChunkSet) -> None:
    """Check that a summary cites chunks that are there, on pages that they stand on.

    Raises:
        InvalidInput: it does not.
    """
    pages = {chunk.chunk_id: chunk.pages for chunk in chunk_set.chunks}
    if len(set(summary.cited)) != len(summary.cited):
        raise InvalidInput(f"the paper_summary {summary.id} cites a passage twice on the same page", field="cited")
    for one in summary.cited:
        if one.page not in pages.get(one.chunk_id, ()):
            raise InvalidInput(
                f"the paper_summary {summary.id} cites chunk {one.chunk_id!r} on page {one.page}, which its chunk set "
                f"{chunk_set.id} does not have",
                field="cited",
            )


def _faults(artifact: PaperArtifact, source: PaperSourceRevision) -> Iterator[str]:
    if artifact.source_id != source.id:
        yield f"it is of source {artifact.source_id}, not of {source.id}"
    if artifact.parse_hash != source.parse_hash:
        yield "it was made from another text of the pages (parse_hash); make it again from this one"
    for name in _SHARED:
        if getattr(artifact, name) != getattr(source, name):
            yield f"its {name} is not that of the source"
    if isinstance(artifact, PaperChunkSet):
        yield from _chunk_faults(artifact.chunks, source)
    elif isinstance(artifact, PaperTree):
        yield from _tree_faults(artifact, source)


def _chunk_faults(chunks: Iterable[PaperChunk], source: PaperSourceRevision) -> Iterator[str]:
    assets = {asset.asset_id for asset in source.assets}
    for chunk in chunks:
        lost = next((span for span in chunk.spans if not _stands(span, source)), None)
        if lost is not None:
            place = f"{lost.start} to {lost.end} of page {lost.page}"
            yield f"chunk {chunk.chunk_id!r} stands at {place}, which is not there"
            return
        if chunk.text != spans_text(chunk.spans, source):
            yield f"the text of chunk {chunk.chunk_id!r} is not that of its spans"
        if any(box.page > len(source.pages) for box in chunk.boxes):
            yield f"chunk {chunk.chunk_id!r} has a box on a page that is not there"
        if not assets.issuperset(chunk.asset_ids):
            yield f"chunk {chunk.chunk_id!r} names a picture that the source does not have"


def _tree_faults(tree: PaperTree, source: PaperSourceRevision) -> Iterator[str]:
    for node in tree.nodes:
        if node.last_page > max(1, len(source.pages)):
            yield f"section {node.node_id!r} ends on page {node.last_page} of {len(source.pages)}"
        elif source.pages and node.start > len(source.pages[node.first_page - 1].text):
            yield f"section {node.node_id!r} begins behind the end of its page"


def _stands(span: Span, source: PaperSourceRevision) -> bool:
    return span.page <= len(source.pages) and span.start < span.end <= len(source.pages[span.page - 1].text)


def spans_text(spans: Iterable[Span], source: PaperSourceRevision) -> str:
    """The text of spans, a blank line between each two."""
    return "\n\n".join(source.pages[span.page - 1].text[span.start : span.end] for span in spans)
