"""HNSW indexes on PostgreSQL: which there are, and the nearest records through one.

Nobody gets one unasked: an operator builds it (:mod:`hybridkb.upkeep.vector_index`), a search asks for it. What comes
out of it are candidates alone; they are filtered here and scored exactly by the leg. The index holds vectors of all
times and knows no filter, so more are asked for than are wanted, by the share of its vectors that may be hits. Few
candidates are compared without it, and so are those of which it would have to be asked for a great many texts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.embedders.guard import to_stored
from hybridkb.errors import InvalidQuery
from hybridkb.vector.spaces import StoredSpace, for_space

COMPARED_UP_TO = 20_000  # candidates; comparing them all takes no longer
MOST_ASKED = 2000  # texts; beyond the first 1,000 a scan goes on step by step, and soon takes longer than other ways
SPARE = 1.5  # times as many as should do are asked for
LEAST_EFFORT = 200  # hnsw.ef_search: how wide the index is searched, at least ...
MOST_EFFORT = 1000  # ... and at most, by pgvector
VISITED = 20  # times as many vectors as are asked for may be looked at

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HnswIndex:
    """An HNSW index that a library has.

    Attributes:
        space_number: the space whose vectors it holds.
        whole: whether its build came to an end; else it is of no use.
        size: bytes.
        m: links of a vector on a layer.
        ef_construction: how many were looked at to choose them.
    """

    space_number: int
    whole: bool
    size: int
    m: int
    ef_construction: int


def hnsw_indexes(connection: Connection) -> list[HnswIndex]:
    """All HNSW indexes of the library, by space; a file has none."""
    if connection.engine != "postgres":
        return []
    return [_from_row(row) for row in connection.rows("hnsw/indexes")]


def _from_row(row: tuple[int, bool, int, str]) -> HnswIndex:
    number, whole, size, options = row
    said = dict(option.split("=", 1) for option in options.split(",") if "=" in option)
    return HnswIndex(number, bool(whole), size, int(said.get("m", 16)), int(said.get("ef_construction", 64)))


def require_hnsw(connection: Connection, serving: StoredSpace | None) -> None:
    """Refuse an approximate search that nothing can answer.

    Raises:
        InvalidQuery: the library is a file, or has no index of the space that serves.
    """
    if connection.engine != "postgres":
        raise InvalidQuery(
            "approximate=True asks an HNSW index, which libraries on PostgreSQL may have; leave it out: a file finds "
            "the nearest vectors by itself",
            field="approximate",
        )
    number = None if serving is None else serving.number
    if not any(index.whole and index.space_number == number for index in hnsw_indexes(connection)):
        raise InvalidQuery(
            "approximate=True asks an HNSW index, and there is none of the space that serves; build it "
            "(build_vector_index(), hybridkb index --hnsw), or leave approximate out",
            field="approximate",
        )


def texts_to_ask(wanted: int, candidates: int, rows: int) -> int | None:
    """How many texts to ask an index of ``rows`` vectors for, when ``wanted`` of the candidates should be among them.

    None when comparing the candidates themselves is the better way.
    """
    if candidates <= COMPARED_UP_TO:
        return None
    asked = math.ceil(SPARE * wanted * rows / candidates) + 100
    return None if asked >= candidates or asked > MOST_ASKED else asked


def nearest_through_hnsw(
    connection: Connection, space: StoredSpace, query: NDArray[np.float16], texts: int
) -> Ids:
    """Ids of the records that show about the nearest ``texts`` texts of a space, whether or not they may be hits."""
    effort = min(MOST_EFFORT, max(LEAST_EFFORT, texts))
    connection.rows("hnsw/before")
    connection.rows("hnsw/settings", {"ef_search": effort, "most": VISITED * texts})
    asked = {"query": connection.vector_parameter(to_stored(query)), "k": texts}
    found = connection.text_rows(for_space(connection, "hnsw/nearest", space), asked)
    connection.rows("hnsw/after")
    return np.array([row[0] for row in found], np.int64)
