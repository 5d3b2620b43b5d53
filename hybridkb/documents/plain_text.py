"""Plain text to blocks: paragraphs are parted by blank lines and form feeds; there are no headings."""

from __future__ import annotations

from collections.abc import Iterator

from hybridkb.documents.blocks import Block


def read_plain_text(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a text, lines as they were written, without white space at their ends."""
    paragraph: list[str] = []
    for line in text.replace("\f", "\n\n").split("\n"):
        kept = line.rstrip()
        if kept:
            paragraph.append(kept)
        elif paragraph:
            yield Block("\n".join(paragraph))
            paragraph = []
    if paragraph:
        yield Block("\n".join(paragraph))
