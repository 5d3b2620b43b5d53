"""Packs the tail together with the record columns and vectors of every packed range."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridkb.database import Connection
from hybridkb.lexical.packing import PACK_AFTER, pack_if_long
from hybridkb.resident.columns import Columns
from hybridkb.resident.vectors import VectorColumns
from hybridkb.vector.spaces import stored_spaces

MOST_CHANGES = PACK_AFTER


def repack(connection: Connection, *, at_least: int = PACK_AFTER) -> bool:
    """Pack when the tail or the list of changes has grown long, inside the caller's write transaction.

    Returns whether packed rows changed; every reader then loads them anew.
    """
    packed = pack_if_long(connection, at_least=at_least)
    if not packed and connection.value("resident/count_changes") < min(MOST_CHANGES, max(at_least, 1)):
        return False
    refresh_packed(connection)
    return True


def refresh_packed(connection: Connection) -> None:
    """Copy the columns of changed ranges again, forget the changes, and bump the packing."""
    spaces = stored_spaces(connection)
    for segment_no, first, last in connection.rows("resident/changed_segments"):
        bounds = {"first": first, "last": last}
        columns = Columns.blank(last - first + 1)
        columns.write([_shifted(row, first) for row in connection.rows("resident/columns_between", bounds)])
        connection.rows("lexical/update_segment_columns", {"segment_no": segment_no, **_column_blobs(columns)})
        for stored in spaces:
            vectors = VectorColumns(stored.number, stored.space.dimensions, last - first + 1)
            rows = connection.rows("resident/vectors_between", {"space_no": stored.number, **bounds})
            vectors.write([_shifted(row, first) for row in rows])
            connection.rows(
                "vector/put_segment",
                {
                    "space_no": stored.number,
                    "segment_no": segment_no,
                    "embedding_ids": vectors.embedding_ids.astype("<i8").tobytes(),
                    "codes": vectors.codes.astype("<u8").tobytes(),
                },
            )
    connection.rows("resident/clear_changes")
    connection.rows("state/next_packing")


def _shifted(row: tuple[Any, ...], first: int) -> Any:
    return (row[0] - first, *row[1:])


def _column_blobs(columns: Columns) -> dict[str, bytes]:
    return {
        "visible_from": columns.visible_from.astype("<i8").tobytes(),
        "visible_until": columns.visible_until.astype("<i8").tobytes(),
        "title_words": columns.title_words.astype("<i4").tobytes(),
        "body_words": columns.body_words.astype("<i4").tobytes(),
        "digest": columns.digest.astype("<u8").tobytes(),
    }


def columns_from_blobs(blobs: tuple[bytes, ...]) -> Columns:
    """Read back the columns of one packed range."""
    kinds = ("<i8", "<i8", "<i4", "<i4", "<u8")
    return Columns(*(np.frombuffer(blob, kind) for blob, kind in zip(blobs, kinds, strict=True)))
