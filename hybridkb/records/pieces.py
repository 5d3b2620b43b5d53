"""What every projection makes in the same way: clean text, the card, the path, citations as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from urllib.parse import unquote, urlsplit

from hybridkb.knowledge.provenance import Provenance
from hybridkb.knowledge.source import Citation, SourceRef
from hybridkb.records.record import TITLE_SEPARATOR

_CONTROLS = tuple(character for character in map(chr, range(32)) if character not in "\t\n")
_NO_CARD = (None,) * 5


def clean(text: str) -> str:
    """Show control characters other than tab and line feed as spaces; what is blank becomes empty."""
    for character in _CONTROLS:  # one search for each is several times faster than a pattern over the text
        if character in text:
            text = text.replace(character, " ")
    return text if text.strip() else ""


def join(texts: Iterable[str]) -> str:
    """Clean texts, a blank line between each two; those without words are left out."""
    return TITLE_SEPARATOR.join(text for text in map(clean, texts) if text)


def card_of(provenance: Provenance | None) -> tuple[str | None, ...]:
    """Class, kind, day, verdict and link of a provenance card; None for each that it does not say."""
    if provenance is None:
        return _NO_CARD
    card = provenance.as_row()
    return tuple(None if value is None else clean(value) or None for value in card)


def local_path(source: SourceRef) -> str | None:
    """A local source's address as a path with forward slashes; ``file:`` addresses are decoded."""
    if source.kind != "local" or not source.uri:
        return None
    path = unquote(urlsplit(source.uri).path) if source.uri.lower().startswith("file:") else source.uri
    path = clean(path).replace("\\", "/")
    return path.removeprefix("./") or None


def citations_json(citations: Sequence[Citation]) -> str:
    """Citations as a JSON array."""
    if not citations:
        return "[]"
    cards = [citation.model_dump(mode="json", exclude_none=True) for citation in citations]
    return json.dumps(cards, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
