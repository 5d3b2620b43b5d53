"""Packs the tail together with the record columns and vectors of every packed range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.errors import BrokenInvariant
from hybridkb.lexical.packing import PACK_AFTER, pack_if_long
from hybridkb.resident.columns import Columns
from hybridkb.resident.vectors import VectorColumns
from hybridkb.vector.codes import words_per_code
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
            _put_vectors(connection, stored.number, segment_no, vectors.embedding_ids, vectors.codes)
    connection.rows("resident/clear_changes")
    connection.rows("state/next_packing")


def erase_packed(connection: Connection, record_ids: Sequence[int]) -> None:
    """Blank the packed columns and codes of purged records. The caller bumps the packing."""
    spaces = {stored.number: stored for stored in stored_spaces(connection)}
    for segment_no, first, last, *blobs in connection.rows("upkeep/all_segments"):
        offsets = [record_id - first for record_id in record_ids if first <= record_id <= last]
        if not offsets or not blobs[-1]:
            continue
        columns = columns_from_blobs(tuple(blobs), last - first + 1).copy()
        for column, blank in zip(columns.arrays(), Columns.blank(1).arrays(), strict=True):
            column[offsets] = blank[0]
        connection.rows("lexical/update_segment_columns", {"segment_no": segment_no, **_column_blobs(columns)})
        for space_no, ids, codes in connection.rows("vector/of_segment", {"segment_no": segment_no}):
            ids, codes = vectors_from_blobs(ids, codes, last - first + 1, spaces[space_no].space.dimensions)
            ids, codes = ids.copy(), codes.copy()
            ids[offsets], codes[:, offsets] = 0, 0
            _put_vectors(connection, space_no, segment_no, ids, codes)


def _put_vectors(
    connection: Connection, space_no: int, segment_no: int, ids: NDArray[np.int64], codes: NDArray[np.uint64]
) -> None:
    packed = {"embedding_ids": ids.astype("<i8").tobytes(), "codes": codes.astype("<u8").tobytes()}
    connection.rows("vector/put_segment", {"space_no": space_no, "segment_no": segment_no, **packed})


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


def columns_from_blobs(blobs: tuple[bytes, ...], records: int) -> Columns:
    """Read back the columns of one packed range of so many records.

    Raises:
        BrokenInvariant: they have another size.
    """
    kinds = [np.dtype(kind) for kind in ("<i8", "<i8", "<i4", "<i4", "<u8")]
    if [len(blob) for blob in blobs] != [kind.itemsize * records for kind in kinds]:
        raise BrokenInvariant("the packed columns of a segment have the wrong size; run rebuild()")
    return Columns(*(np.frombuffer(blob, kind) for blob, kind in zip(blobs, kinds, strict=True)))


def vectors_from_blobs(
    embedding_ids: bytes, codes: bytes, records: int, dimensions: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Read back the embedding ids and codes (word by word) of one packed range of so many records.

    Raises:
        BrokenInvariant: they have another size.
    """
    words = words_per_code(dimensions)
    if len(embedding_ids) != 8 * records or len(codes) != 8 * words * records:
        raise BrokenInvariant("the packed vectors of a segment have the wrong size; run rebuild()")
    return np.frombuffer(embedding_ids, "<i8"), np.frombuffer(codes, "<u8").reshape(words, records)
