"""File bytes to document to passages: what does a file say, in which pieces, and what does it say about itself?"""

from hybridkb.documents.document import (
    INDEXED_SUFFIXES,
    PASSAGE_CHARACTERS,
    READER_VERSION,
    FrontMatter,
    Passage,
    ReadDocument,
)
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
