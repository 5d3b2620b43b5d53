"""File bytes to document to passages: what does a file say, in which pieces, and what does it say about itself?

The readers are loaded when something is read, not before.
"""

from typing import TYPE_CHECKING, Any

from hybridkb.documents.document import (
    INDEXED_SUFFIXES,
    PASSAGE_CHARACTERS,
    READER_VERSION,
    FrontMatter,
    Passage,
    ReadDocument,
)

if TYPE_CHECKING:
    from hybridkb.documents.reading import read_document

__all__ = [
    "INDEXED_SUFFIXES",
    "PASSAGE_CHARACTERS",
    "READER_VERSION",
    "FrontMatter",
    "Passage",
    "ReadDocument",
    "read_document",
]


def __getattr__(name: str) -> Any:
    if name == "read_document":
        from hybridkb.documents.reading import read_document

        return read_document
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
