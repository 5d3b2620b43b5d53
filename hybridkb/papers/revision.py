"""The bytes of a paper to its source revision: what they say, what the publisher says, what the caller says."""

from __future__ import annotations

from datetime import datetime

from hybridkb.documents.paper_pages import Progress, ReadPaper, read_paper
from hybridkb.errors import InvalidInput, UnreadableDocument
from hybridkb.knowledge.card import AvailabilityBasis
from hybridkb.knowledge.paper_source import PaperSourceRevision, blob_name, source_id_of
from hybridkb.knowledge.source import SourceRef
from hybridkb.papers.arxiv_id import as_arxiv
from hybridkb.papers.flow_config import PaperFlowConfig
from hybridkb.papers.obtaining import ObtainedPaper


def read_revision(
    paper: ObtainedPaper, config: PaperFlowConfig, progress: Progress | None = None
) -> tuple[PaperSourceRevision, dict[str, bytes]]:
    """Read a paper; the revision, and the bytes of every blob that it names.

    The publisher's word goes before what the file says about itself, the caller's before both.

    Raises:
        InvalidInput: it is said to have been available before its publisher showed this version.
        UnreadableDocument: it is no PDF that can be read, or no page of it shows text.
        MissingExtra: a package of the extra ``papers`` is not installed.
    """
    _check_times(paper, config)
    read = read_paper(paper.data, paper.name, images=config.images, progress=progress)
    if not any(page.text.strip() for page in read.pages):
        raise UnreadableDocument(
            f"{paper.name} holds no text that can be read (pages: {len(read.pages):,}); text recognition (OCR) "
            "would make it readable",
            path=paper.name,
        )
    name = blob_name(paper.data)
    return _revision(paper, read, config, name), {name: paper.data, **read.blobs}


def _revision(paper: ObtainedPaper, read: ReadPaper, config: PaperFlowConfig, name: str) -> PaperSourceRevision:
    fetched, hints = paper.fetched, read.hints
    published_at = config.published_at or (fetched.published_at if fetched else None)
    available_at, basis = _availability(config.available_at, published_at, paper.at)
    stamp = None if fetched or hints.arxiv_id is None else as_arxiv(hints.arxiv_id)
    return PaperSourceRevision(
        id=source_id_of(name),
        sha256=name,
        size=len(paper.data),
        title=config.title or (fetched.title if fetched else None) or read.title,
        authors=(fetched.authors if fetched else ()) or hints.authors,
        abstract=fetched.abstract if fetched else "",
        arxiv_id=str(fetched.arxiv_id) if fetched else str(stamp) if stamp and stamp.version else None,
        doi=(fetched.doi if fetched else None) or hints.doi,
        availability_basis=basis,
        pages=read.pages,
        assets=read.assets,
        outline=read.outline,
        parser=read.parser,
        parser_version=read.parser_version,
        notes=read.notes,
        as_of=published_at or available_at,
        available_at=available_at,
        source=SourceRef(
            kind="arxiv" if fetched else "local",
            uri=fetched.uri if fetched else paper.file_name,
            published_at=published_at,
            fetched_at=paper.at,
            content_hash=name,
        ),
        tags=config.tags,
        confidence=config.confidence,
        provenance=config.provenance,
    )


def _check_times(paper: ObtainedPaper, config: PaperFlowConfig) -> None:
    published_at = config.published_at or (paper.fetched.published_at if paper.fetched else None)
    if config.available_at and published_at and config.available_at < published_at:
        raise InvalidInput(
            f"available_at is before {paper.name} was published ({published_at:%Y-%m-%dT%H:%M:%S%z}); nobody could see "
            "it then: leave it out, or name the version that was there",
            field="available_at",
        )


def _availability(
    stated: datetime | None, published_at: datetime | None, fetched_at: datetime
) -> tuple[datetime, AvailabilityBasis]:
    """When it could first be seen: as stated, else since it was published, else since it was fetched."""
    if stated is not None:
        return stated, "stated"
    if published_at is not None:
        return published_at, "published"
    return fetched_at, "fetched"
