"""From what a caller names (an arXiv identifier, a file, bytes) to the bytes of a paper and what its publisher says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from hybridkb.documents.limits import MAX_PAPER_BYTES
from hybridkb.errors import InvalidInput, UnreadableDocument
from hybridkb.papers.arxiv_fetch import ArxivFetcher
from hybridkb.papers.arxiv_id import ArxivIdentifier, as_arxiv, looks_like_arxiv
from hybridkb.papers.fetching import FetchedPaper, PaperFetcher

PaperSource: TypeAlias = "ArxivIdentifier | str | Path | bytes"
"""What the flow takes. Text that is an arXiv identifier in any form is one, whatever files there are; any other text is
a path. A file that is called like an identifier is given as ``Path``, or with ``./`` in front."""

UNNAMED = "paper.pdf"
"""What errors call bytes that came without a name."""


@dataclass(frozen=True, slots=True)
class ObtainedPaper:
    """The bytes of a paper.

    Attributes:
        data: all of them.
        name: what errors call it.
        at: when they were fetched or read.
        fetched: what its publisher says; None of a file.
        file_name: of a file; None of bytes and of what was fetched.
    """

    data: bytes = field(repr=False)
    name: str
    at: datetime
    fetched: FetchedPaper | None = None
    file_name: str | None = None


def named_paper(source: PaperSource) -> ArxivIdentifier | Path | bytes:
    """Decide what a caller means; touches neither disk nor network.

    Raises:
        InvalidInput: it is an arXiv identifier with a fault, an address elsewhere, or no source at all.
    """
    if isinstance(source, ArxivIdentifier | Path | bytes):
        return source
    if not isinstance(source, str):
        raise InvalidInput(
            f"a paper is an ArxivIdentifier, its text, a path or bytes, not {type(source).__name__}", field="source"
        )
    identifier = as_arxiv(source)
    if identifier is not None:
        return identifier
    if looks_like_arxiv(source):
        ArxivIdentifier(source)  # raises, and says what is wrong
    if "://" in source[:12]:
        raise InvalidInput(f"{source[:200]!r} is no paper on arXiv; download it and give the file", field="source")
    if not source.strip() or "\0" in source:
        raise InvalidInput("the source is blank, or holds a NUL; give an arXiv identifier or a path", field="source")
    return Path(source)


def obtain(
    source: ArxivIdentifier | Path | bytes, fetcher: PaperFetcher | None, now: Callable[[], datetime]
) -> ObtainedPaper:
    """Fetch or read a paper; blocks.

    Raises:
        NotFound: arXiv has no such paper.
        FetchFailed: it cannot be had.
        UnreadableDocument: the file cannot be read, is no file, or is too large.
        InvalidInput: a fetcher answered another paper.
    """
    if isinstance(source, bytes):
        return ObtainedPaper(source, UNNAMED, now())
    if isinstance(source, Path):
        return ObtainedPaper(_read(source), str(source), now(), file_name=source.name)
    fetched = (fetcher or ArxivFetcher()).fetch(source)
    exact = fetched.arxiv_id
    if exact.version is None or exact.paper != source.paper or source.version not in (None, exact.version):
        raise InvalidInput(f"the fetcher was asked for {source} and answered {exact}", field="fetcher")
    return ObtainedPaper(fetched.data, f"{exact}.pdf", fetched.fetched_at, fetched)


def check_there(path: Path) -> None:
    """Look whether a file can be a paper, without reading it.

    Raises:
        UnreadableDocument: it is not there, is no file, or is too large.
    """
    try:
        if not path.is_file():
            what = "is no file" if path.exists() else "is not there, and is no arXiv identifier either"
            raise UnreadableDocument(f"{path} {what}; give the path of a PDF, or 1706.03762v7", path=str(path))
        if path.stat().st_size > MAX_PAPER_BYTES:
            raise UnreadableDocument(f"{path} is longer than {MAX_PAPER_BYTES:,} bytes; split it", path=str(path))
    except OSError as error:
        raise _unread(path, error) from error


def _read(path: Path) -> bytes:
    check_there(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unread(path, error) from error


def _unread(path: Path, error: OSError) -> UnreadableDocument:
    return UnreadableDocument(f"{path} cannot be read: {error.strerror or error}", path=str(path))
