"""From the artifacts of a paper to records: which text of them is searched, and under what title.

A chunk set gives one record for each chunk that has words and none for itself, a summary one, a tree one for each
section that has a title. What a record says of the paper (title, identifiers, tags, card) is taken from its source
revision, so that artifacts need not repeat it; a source gives none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from hybridkb.errors import InvalidInput, UnregisteredType
from hybridkb.knowledge.locator import Locator
from hybridkb.knowledge.paper_artifacts import PaperArtifact, PaperChunkSet, PaperGlobalSummary, PaperTree
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.source import Citation
from hybridkb.records.pieces import card_of, citations_json, clean, local_path
from hybridkb.records.record import Record

PROJECTION_VERSION = 1
HEADING_SEPARATOR = " > "

_ARXIV_VERSION = re.compile(r"v\d+\Z")


@dataclass(frozen=True, slots=True)
class PaperContext:
    """What the records of every artifact take from the source revision.

    Attributes:
        source_id: the source.
        title: of the paper.
        identifiers: arXiv id with and without its version, DOI.
        tags, card, path: filter values.
    """

    source_id: str
    title: str
    identifiers: tuple[str, ...]
    tags: tuple[str, ...]
    card: tuple[str | None, ...]
    path: str | None


def paper_context(source: PaperSourceRevision) -> PaperContext:
    """Read from a source what its artifacts show of it."""
    card = card_of(source.provenance)
    published = source.source.published_at
    if card[2] is None and published is not None:
        card = (*card[:2], published.date().isoformat(), *card[3:])
    return PaperContext(
        str(source.id), clean(source.title), paper_identifiers(source), source.tags, card, local_path(source.source)
    )


def paper_identifiers(source: PaperSourceRevision) -> tuple[str, ...]:
    """Exact names of a paper: arXiv id with and without its version, DOI."""
    names = [clean(name) for name in (source.arxiv_id, source.doi) if name]
    if source.arxiv_id:
        names.insert(1, without_version(names[0]))
    return tuple(dict.fromkeys(names))


def without_version(arxiv_id: str) -> str:
    """An arXiv id without the version behind it."""
    return _ARXIV_VERSION.sub("", arxiv_id)


def project_artifact(artifact: PaperArtifact, context: PaperContext) -> tuple[Record, ...]:
    """Make the records of an artifact, in reading order; the first carries the paper's identifiers.

    Raises:
        UnregisteredType: nothing says how its class is searched.
        InvalidInput: it is of another paper.
    """
    members = _MEMBERS.get(type(artifact))
    if members is None:
        raise UnregisteredType(
            f"{type(artifact).__qualname__} is no artifact that hybridkb knows how to search",
            item_type=artifact.item_type,
        )
    if str(artifact.source_id) != context.source_id:
        raise InvalidInput(
            f"the {artifact.item_type} {artifact.id} is of source {artifact.source_id}, not of {context.source_id}",
            field="source_id",
        )
    common = _common(artifact, context)
    made = (
        replace(
            common,
            locator=Locator("artifact", artifact.id, member.member_id),
            title=clean(HEADING_SEPARATOR.join(member.title)),
            body=clean(member.body),
            citations=citations_json(member.citations),
        )
        for member in members(artifact, context)
    )
    records = [record for record in made if record.title or record.body]
    if records:
        records[0] = replace(records[0], identifiers=context.identifiers)
    return tuple(records)


@dataclass(frozen=True, slots=True)
class _Member:
    member_id: str | None
    title: tuple[str, ...]
    body: str
    citations: tuple[Citation, ...]


def _common(artifact: PaperArtifact, context: PaperContext) -> Record:
    own = card_of(artifact.provenance)
    source_class, kind, doc_date, verdict, link = context.card if artifact.provenance is None else own
    tags = tuple(dict.fromkeys((*context.tags, *artifact.tags)))
    shown = (tags, source_class, kind, doc_date, verdict, link, context.path)
    return Record(
        locator=Locator("artifact", artifact.id),
        item_type=artifact.item_type,
        title="",
        body="",
        tags=tags,
        confidence=artifact.confidence,
        source_kind=artifact.source.kind,
        source_class=source_class,
        kind=kind,
        doc_date=doc_date,
        verdict=verdict,
        link=link,
        path=context.path,
        artifact_kind=artifact.item_type,
        projection_version=PROJECTION_VERSION,
        basis=blake2b(repr(shown).encode("utf-8", "surrogatepass"), digest_size=16).digest(),
    )


def _chunks(chunk_set: PaperChunkSet, context: PaperContext) -> Iterator[_Member]:
    for chunk in chunk_set.chunks:
        if clean(chunk.text):
            places = {span.page: span.start for span in reversed(chunk.spans)}
            cited = [_place(context, page, places[page]) for page in dict.fromkeys(span.page for span in chunk.spans)]
            yield _Member(chunk.chunk_id, _path(context, chunk.heading), chunk.text, tuple(cited))


def _summary(summary: PaperGlobalSummary, context: PaperContext) -> Iterator[_Member]:
    cited = sorted(summary.cited, key=lambda one: one.page)
    yield _Member(
        None,
        (context.title,),
        summary.text,
        tuple(
            Citation(source_id=context.source_id, page=one.page, tree_id=summary.chunk_set_id, node_id=one.chunk_id)
            for one in cited
        ),
    )


def _sections(tree: PaperTree, context: PaperContext) -> Iterator[_Member]:
    paths: dict[str, tuple[str, ...]] = {}
    for node in tree.nodes:
        above = paths.get(node.parent_id or "", ())
        paths[node.node_id] = (*above, node.title) if node.parent_id is not None else ()
        if clean(node.title):
            yield _Member(
                node.node_id, _path(context, paths[node.node_id]), "", (_place(context, node.first_page, node.start),)
            )


def _path(context: PaperContext, headings: Iterable[str]) -> tuple[str, ...]:
    return (context.title, *(text for text in map(clean, headings) if text))


def _place(context: PaperContext, page: int, start: int) -> Citation:
    return Citation(source_id=context.source_id, page=page, char_offset=start)


_MEMBERS: Mapping[type[PaperArtifact], Callable[[Any, PaperContext], Iterator[_Member]]] = {
    PaperChunkSet: _chunks,
    PaperGlobalSummary: _summary,
    PaperTree: _sections,
}
