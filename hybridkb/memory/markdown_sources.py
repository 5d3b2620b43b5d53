"""Folders of Markdown with front matter: articles, and research notes that end in a verdict."""

from __future__ import annotations

import os
import re
from hashlib import sha256

from hybridkb.documents.encodings import decode
from hybridkb.documents.front_matter import split_front_matter
from hybridkb.errors import HybridKBError, InvalidInput, MissingExtra
from hybridkb.memory.card import KnowledgeCard
from hybridkb.memory.collected import CollectedCards, Collector, SkippedCard, UpcomingCard
from hybridkb.memory.described import Described, describe
from hybridkb.memory.files import SourceFile, find_files

MARKDOWN = (".md", ".markdown")

_FOLDER_NAMES = ("article", "index")
_HEADING = re.compile(r"\s*#\s+(?P<title>[^\n]+?)\s*#*\s*(?:\n|\Z)")

def collect_article_sources(
    root: str | os.PathLike[str],
    *,
    source: str = "article",
    kind: str | None = "article",
    prefix: str = "",
    zone: str = "UTC",
) -> CollectedCards:
    """Read a folder of articles: one Markdown file, one card (docs/memory.md says which front matter is read).

    The slug is the path without its ending; of ``basis-trade/article.md`` and ``basis-trade/index.md`` it is the
    folder. Drafts and what is upcoming are listed, not read.

    Args:
        root: the folder.
        source: the class of trust; a file may say that it is trusted less, never more.
        kind: the kind of a file that names none.
        prefix: put before every slug, such as ``"essays/"``.
        zone: the zone in which a day alone is read; give the library's.

    Raises:
        InvalidInput: no such folder, or an unknown class.
        MissingExtra: a package of the extra ``folder`` is needed and not installed.
    """
    return _collect(root, source, kind, prefix, zone, needs_verdict=False)


def collect_scout_sources(
    root: str | os.PathLike[str], *, kind: str | None = "scout", prefix: str = "", zone: str = "UTC"
) -> CollectedCards:
    """Read a folder of scouts: research notes whose front matter says whether the idea is feasible.

    As :func:`collect_article_sources`, but that each needs a ``verdict`` (or ``feasibility``), in its own words. Notes
    that are still open (``status: running``) are listed, not read.

    Raises:
        InvalidInput: no such folder.
        MissingExtra: a package of the extra ``folder`` is needed and not installed.
    """
    return _collect(root, "scout", kind, prefix, zone, needs_verdict=True)


def _collect(
    root: str | os.PathLike[str], source: str, kind: str | None, prefix: str, zone: str, *, needs_verdict: bool
) -> CollectedCards:
    describe({}, source=source, kind=kind, zone=zone)  # an unknown class or zone is no fault of a file
    collector = Collector()
    for file in find_files(root, MARKDOWN):
        if isinstance(file, SkippedCard):
            collector.skip(file.place, file.reason)
            continue
        try:
            found, notes = _read(file, source, kind, prefix, zone, needs_verdict)
        except MissingExtra:
            raise
        except HybridKBError as error:
            collector.skip(file.name, error)
        except OSError as error:
            collector.skip(file.name, f"cannot be read: {error.strerror or error}")
        else:
            collector.note(file.name, notes)
            collector.add(file.name, found)
    return collector.collected()


def _read(
    file: SourceFile, source: str, kind: str | None, prefix: str, zone: str, needs_verdict: bool
) -> tuple[KnowledgeCard | UpcomingCard, tuple[str, ...]]:
    """One file to its card, and notes.

    Raises:
        HybridKBError: it cannot be used.
        OSError: it cannot be read.
    """
    decoded = decode(file.read(), file.name)
    fields, body, notes = split_front_matter(decoded.text)
    if needs_verdict and "verdict" not in fields and "feasibility" in fields:
        fields["verdict"] = fields.pop("feasibility")
    said = describe(fields, source=source, kind=kind, zone=zone)
    all_notes = (*decoded.notes, *notes, *said.notes)
    slug = prefix + (said.slug or _slug(file.name))
    if said.status is not None:
        return UpcomingCard(slug, said.status), all_notes
    if needs_verdict and said.provenance.verdict is None:
        raise InvalidInput(
            "has no verdict; a scout says in its front matter what came of it (verdict: feasible), or that it is "
            "still open (status: running)"
        )
    # Of the text and not of the bytes: another system's line ends are no edit.
    content_hash = sha256(decoded.text.encode("utf-8", "surrogatepass")).hexdigest()
    return _card(file, slug, body, said, content_hash), all_notes


def _card(file: SourceFile, slug: str, body: str, said: Described, content_hash: str) -> KnowledgeCard:
    heading = _HEADING.match(body)
    return KnowledgeCard(
        slug,
        body,
        said.provenance,
        title=said.title or (heading["title"] if heading else None),
        tags=said.tags,
        as_of=said.as_of,
        available_at=said.available_at,
        source=said.source(file.name, content_hash),
        availability_basis=said.basis,
    )


def _slug(name: str) -> str:
    """The path without its ending; a file that its folder is named for gives the folder."""
    stem = name.rpartition(".")[0]
    folder, _, last = stem.rpartition("/")
    return folder if folder and last.lower() in _FOLDER_NAMES else stem
