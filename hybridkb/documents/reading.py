"""One file's bytes to a document: the reader is chosen by the ending of the name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import tzinfo
from itertools import islice

from hybridkb.documents.content import Content
from hybridkb.documents.csv_table import read_csv
from hybridkb.documents.document import INDEXED_SUFFIXES, PASSAGE_CHARACTERS, FrontMatter, Passage, ReadDocument
from hybridkb.documents.encodings import decode
from hybridkb.documents.faults import count_of, unreadable
from hybridkb.documents.front_matter import split_front_matter
from hybridkb.documents.front_matter_fields import read_fields
from hybridkb.documents.html_page import read_html
from hybridkb.documents.limits import MAX_NOTES, MAX_PASSAGE_CHARACTERS, MAX_PASSAGES, MIN_PASSAGE_CHARACTERS
from hybridkb.documents.markdown import read_markdown
from hybridkb.documents.passages import make_passages
from hybridkb.documents.pdf import read_pdf
from hybridkb.documents.plain_text import read_plain_text
from hybridkb.errors import InvalidInput
from hybridkb.knowledge.times import read_zone

_MAX_TITLE_CHARACTERS = 300


def read_document(
    data: bytes, name: str, *, zone: str | tzinfo = "UTC", passage_characters: int = PASSAGE_CHARACTERS
) -> ReadDocument:
    """Read one file.

    The same bytes under the same name give the same document on every machine.

    Args:
        data: the whole file; the caller bounds its size.
        name: the file's name or relative path; its ending chooses the reader, and errors name it.
        zone: the zone of days alone in front matter: an IANA name or a tzinfo.
        passage_characters: about how long a passage is, 200 to 100,000.

    Raises:
        UnreadableDocument: the ending is not one of `INDEXED_SUFFIXES`, the bytes are not what the ending says, or
            they are broken or encrypted.
        MissingExtra: a package of the extra ``folder`` is needed and not installed.
        InvalidInput: the zone is unknown, or ``passage_characters`` out of range.
    """
    where = read_zone(zone)
    if not MIN_PASSAGE_CHARACTERS <= passage_characters <= MAX_PASSAGE_CHARACTERS:
        raise InvalidInput(
            f"passage_characters must lie from {MIN_PASSAGE_CHARACTERS} to {MAX_PASSAGE_CHARACTERS:,}, "
            f"not {passage_characters}",
            field="passage_characters",
        )
    content = _reader_of(name)(data, name, passage_characters)
    passages, notes = _all_passages(content.passages)
    if not passages:
        notes.append("the file is empty" if not data else "holds no text")
    front_matter, wrong = read_fields(content.fields, where, date_is_publication=False)
    return ReadDocument(
        title=_title(content, front_matter, name),
        passages=passages,
        front_matter=front_matter,
        notes=_bounded([*content.notes, *wrong, *notes]),
        pages=content.pages,
        encoding=content.encoding,
    )


def _read_markdown(data: bytes, name: str, characters: int) -> Content:
    decoded = decode(data, name)
    fields, body, notes = split_front_matter(decoded.text)
    content = read_markdown(body, characters)
    content.fields, content.encoding = fields, decoded.encoding
    content.notes[:0] = [*decoded.notes, *notes]
    return content


def _read_text(data: bytes, name: str, characters: int) -> Content:
    decoded = decode(data, name)
    fields, body, notes = split_front_matter(decoded.text)
    return Content(
        make_passages(read_plain_text(body), characters),
        fields=fields,
        notes=[*decoded.notes, *notes],
        encoding=decoded.encoding,
    )


_READERS: dict[str, Callable[[bytes, str, int], Content]] = {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".txt": _read_text,
    ".text": _read_text,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".html": read_html,
    ".htm": read_html,
    ".pdf": read_pdf,
}


def _reader_of(name: str) -> Callable[[bytes, str, int], Content]:
    reader = next((reader for suffix, reader in _READERS.items() if name.lower().endswith(suffix)), None)
    if reader is None:
        raise unreadable(name, "has no ending that is read here", f"export it as one of {', '.join(INDEXED_SUFFIXES)}")
    return reader


def _all_passages(passages: Iterable[Passage]) -> tuple[tuple[Passage, ...], list[str]]:
    """Take them all, up to the limit, and say what was left out."""
    source = iter(passages)
    taken = tuple(islice(source, MAX_PASSAGES))
    if len(taken) < MAX_PASSAGES or next(source, None) is None:
        return taken, []
    return taken, [f"more than {MAX_PASSAGES:,} passages; the rest is left out (split the file to have all of it)"]


def _title(content: Content, front_matter: FrontMatter, name: str) -> str:
    own = " ".join((front_matter.title or content.title or "").split())
    if not own:
        base = name.rpartition("/")[2]
        own = base.rpartition(".")[0] or base
    return own if len(own) <= _MAX_TITLE_CHARACTERS else own[: _MAX_TITLE_CHARACTERS - 1].rstrip() + "…"


def _bounded(notes: list[str]) -> tuple[str, ...]:
    distinct = list(dict.fromkeys(notes))
    if len(distinct) <= MAX_NOTES:
        return tuple(distinct)
    return (*distinct[: MAX_NOTES - 1], f"and {count_of(len(distinct) - MAX_NOTES + 1, 'more note')}")
