"""The texts of records as words, read inside one transaction; those that were read before are not read again."""

from __future__ import annotations

from collections.abc import Sequence

from hybridkb.database import Connection, ids_parameter
from hybridkb.errors import BrokenInvariant
from hybridkb.lexical.read_texts import ReadText, TextReader


def read_records(connection: Connection, reader: TextReader, record_ids: Sequence[int]) -> list[ReadText]:
    """The texts of these records, each named once, in their order.

    Raises:
        BrokenInvariant: one of them has no text.
    """
    known = {record_id: reader.known(record_id) for record_id in record_ids}
    missing = [record_id for record_id, text in known.items() if text is None]
    rows = connection.rows("records/texts_of", ids_parameter(missing)) if missing else []
    if len(rows) != len(missing):
        raise BrokenInvariant("the word index names records that have no text; run check(), then rebuild()")
    known.update((record_id, reader.read(record_id, title, body)) for record_id, title, body in rows)
    return [text for text in known.values() if text is not None]
