"""Which index was measured: its fingerprint, settings, space, size, and the versions it rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.store.settings import LibrarySettings, load_settings
from hybridkb.vector.spaces import serving_space

_PACKAGES = ("hybridkb", "apsw", "sqlite-vec", "numpy", "pystemmer", "ir-measures")


@dataclass(frozen=True, slots=True)
class IndexState:
    """An index at one instant.

    Attributes:
        fingerprint: names what answers rest on: settings, serving space, records visible now, what waits for a vector.
        generation: of the file.
        settings: language, ranking, fusion.
        space: what serves; None without vectors.
        items: items held; records: visible now; pending: of those, without a vector.
    """

    fingerprint: str
    generation: int
    settings: LibrarySettings
    space: EmbeddingSpace | None
    items: int
    records: int
    pending: int

    @property
    def space_fingerprint(self) -> str | None:
        """Names the space that serves."""
        return None if self.space is None else self.space.fingerprint

    def row(self) -> dict[str, Any]:
        """Its part of a run."""
        return {
            "fingerprint": self.fingerprint,
            "settings_digest": self.settings.digest(),
            "settings": asdict(self.settings),
            "space": None if self.space is None else str(self.space),
            "items": self.items,
            "records": self.records,
            "pending": self.pending,
            "versions": versions(),
        }


def index_state(library: HybridLibrary) -> IndexState:
    """Look at a library's index as it is now."""
    parts = parts_of(library)
    with parts.follower.follow(parts.database) as (connection, resident):
        settings, serving = load_settings(connection), serving_space(connection)
        visible, vectors = resident.visibility(None), resident.vectors
        pending = visible.records
        if vectors is not None:
            pending = int(np.count_nonzero(visible.mask & (vectors.embedding_ids == 0)))
        items = int(connection.value("runs/items"))
        generation = resident.generation
    space = None if serving is None else serving.space
    seen = (settings.digest(), space and space.fingerprint, visible.digest, visible.records, pending)
    return IndexState(
        fingerprint=blake2b(repr(seen).encode(), digest_size=16).hexdigest(),
        generation=generation,
        settings=settings,
        space=space,
        items=items,
        records=visible.records,
        pending=pending,
    )


def versions() -> dict[str, str | None]:
    """Versions of hybridkb and of what a ranking or a measure rests on."""
    return {name: _version(name) for name in _PACKAGES}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
