"""The peers by name: where the adapter stands, and whether its environment may be large.

Adapters are imported only where their peer is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from peers.shape import Peer

_REQUIREMENTS = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Adapter:
    """One peer.

    Attributes:
        module: in this folder, with a class ``Adapted``.
        title: the name in tables.
        requirements: the file that pins its environment; None runs in the environment of the command itself.
        large: its dependencies may want several gigabytes; looked at before anything is downloaded.
    """

    module: str
    title: str
    requirements: str | None = None
    large: bool = False

    def load(self, folder: Path, dimensions: int) -> Peer:
        """The peer over one folder."""
        made: Peer = import_module(f"peers.adapters.{self.module}").Adapted(folder, dimensions)
        return made

    @property
    def pinned(self) -> Path | None:
        """The requirements file."""
        return None if self.requirements is None else _REQUIREMENTS / f"requirements-{self.requirements}.txt"


ADAPTERS = {
    "hybridkb": Adapter("hybridkb_library", "hybridkb"),
    "textbook": Adapter("textbook_recipe", "textbook FTS5 + vec0"),
    "tantivy": Adapter("tantivy_numpy", "Tantivy + numpy", "tantivy"),
    "bm25s": Adapter("bm25s_numpy", "bm25s + numpy", "bm25s"),
    "lancedb": Adapter("lancedb_table", "LanceDB", "lancedb"),
    "qdrant": Adapter("qdrant_local", "Qdrant, local mode", "qdrant"),
    "chroma": Adapter("chroma_collection", "Chroma, local", "chroma"),
    "txtai": Adapter("txtai_index", "txtai", "txtai", large=True),
}
OURS = "hybridkb"
