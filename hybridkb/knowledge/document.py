"""A document: one file of a folder, with its passages as nodes."""

from __future__ import annotations

from typing import Literal

from hybridkb.knowledge.base import Name, Names
from hybridkb.knowledge.tree import TreeKnowledge


class Document(TreeKnowledge):
    """A file that was read from a folder. Its nodes below the root are passages; a node's title is its heading path.

    Attributes:
        path: from the folder to the file, with forward slashes; what no text can hold is shown as U+FFFD.
        collection: the name under which the folder is kept in step.
        kind: the type that the file gives itself, such as ``"thesis"``; what the filter ``item_types`` sees.
        origin: where the file says that it comes from: an address or a name.
        tickers: listed symbols it is about.
        periods: fiscal periods it is about.
        pages: how many pages it has; None without pages.
        encoding: the encoding its text was read in; None of a PDF.
    """

    item_type: Literal["document"] = "document"
    path: str
    collection: Name
    kind: Name | None = None
    origin: str | None = None
    tickers: Names = ()
    periods: Names = ()
    pages: int | None = None
    encoding: str | None = None
