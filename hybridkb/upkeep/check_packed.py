"""Postings, packed columns, codes and sqlite-vec rows against the records and vectors they copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.embedders.guard import from_stored, to_int8_many
from hybridkb.errors import BrokenInvariant
from hybridkb.lexical.layout import decode_posting, decode_terms
from hybridkb.resident.columns import Columns
from hybridkb.resident.packed import columns_from_blobs, vectors_from_blobs
from hybridkb.resident.vectors import VectorColumns
from hybridkb.text import Analyser
from hybridkb.upkeep.finding import Finding
from hybridkb.vector.spaces import StoredSpace, for_space, stored_spaces

_MIX = np.uint64(0x9E3779B97F4A7C15)
_TITLE_MIX = np.uint64(0xC2B2AE3D27D4EB4F)
_STEP = 2000


def packed_findings(connection: Connection, analyser: Analyser) -> Iterator[Finding]:
    """Compare everything that is a copy for speed."""
    yield from _vocabulary_findings(connection, analyser)
    yield from _posting_findings(connection, analyser)
    yield from _column_findings(connection)
    for stored in stored_spaces(connection):
        if stored.state != "retired":
            yield from _table_findings(connection, stored)
    yield from _code_findings(connection)


def _vocabulary_findings(connection: Connection, analyser: Analyser) -> Iterator[Finding]:
    for word, _, stem in connection.rows("upkeep/all_terms"):
        if analyser.stem(word) != stem:
            yield Finding("stem_altered", f"the word {word!r} is kept under the stem {stem!r}", None)


def _posting_findings(connection: Connection, analyser: Analyser) -> Iterator[Finding]:
    """One sum a record over (term, count) stands for its postings; wrong sums name the record."""
    highest = int(connection.value("state/highest", {"table": "record"}))
    try:
        held = _held_sums(connection, highest)
    except BrokenInvariant as error:
        yield Finding("postings_unreadable", str(error), None)
        return
    numbers = {word: term_id for word, term_id, _ in connection.rows("upkeep/all_terms")}
    for first in range(1, highest + 1, _STEP):
        bounds = {"first": first, "last": first + _STEP - 1}
        for record_id, locator, title, body in connection.rows("upkeep/texts_between", bounds):
            expected = _expected_sum(analyser.words(body), analyser.words(title), numbers)
            if expected is None or expected != int(held[record_id]):
                yield Finding("postings_altered", "the postings are not those of the record's words", locator)


def _held_sums(connection: Connection, highest: int) -> NDArray[np.uint64]:
    sums = np.zeros(highest + 1, np.uint64)
    for segment_no, first, _ in connection.rows("lexical/segments"):
        for term_id, body, title in connection.rows("lexical/segment_postings", {"segment_no": segment_no}):
            for blob, mix in ((body, _MIX), (title, _TITLE_MIX)):
                if blob:
                    offsets, counts = decode_posting(blob)
                    if len(offsets) and first + int(offsets.max()) > highest:
                        raise BrokenInvariant(f"postings of segment {segment_no} name records that never were")
                    sums[offsets.astype(np.int64) + first] += _mixed(np.uint64(term_id), mix) * counts.astype(np.uint64)
    for record_id, blob in connection.rows("lexical/tail_after", {"after": 0}):
        terms, body, title = (array.astype(np.uint64) for array in decode_terms([blob])[:3])
        if record_id > highest:
            continue  # terms_without_record names it
        held = _mixed(terms, _MIX) * body + _mixed(terms, _TITLE_MIX) * title
        sums[record_id : record_id + 1] += held.sum(dtype=np.uint64)
    return sums


def _expected_sum(body: Sequence[str], title: Sequence[str], numbers: dict[str, int]) -> int | None:
    total = 0
    for words, mix in ((body, _MIX), (title, _TITLE_MIX)):
        for word, count in Counter(words).items():
            if word not in numbers:
                return None
            total += int(_mixed(np.array([numbers[word]], np.uint64), mix)[0]) * count
    return total % 2**64


def _mixed(terms: NDArray[np.uint64] | np.uint64, mix: np.uint64) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        spread = np.atleast_1d(np.asarray(terms, np.uint64)) * mix
        return spread ^ (spread >> np.uint64(29))


def _column_findings(connection: Connection) -> Iterator[Finding]:
    changed = {row[0] for row in connection.rows("upkeep/changed_ids")}
    for segment_no, first, last, *blobs in connection.rows("upkeep/all_segments"):
        try:
            packed = columns_from_blobs(tuple(blobs), last - first + 1)
        except BrokenInvariant as error:
            yield Finding("columns_altered", str(error), f"segment {segment_no}")
            continue
        actual = Columns.blank(last - first + 1)
        rows = connection.rows("resident/columns_between", {"first": first, "last": last})
        actual.write([(row[0] - first, *row[1:]) for row in rows])
        wrong = np.zeros(actual.size, bool)
        for one, other in zip(packed.arrays(), actual.arrays(), strict=True):
            wrong |= one != other
        for offset in np.flatnonzero(wrong).tolist():
            if first + offset not in changed:
                yield Finding("columns_altered", "the packed columns are not the record's", f"record {first + offset}")


def _table_findings(connection: Connection, stored: StoredSpace) -> Iterator[Finding]:
    for first, vectors in _vectors_by_step(connection, stored):
        bounds = {"first": first, "last": first + _STEP - 1}
        rows = connection.text_rows(for_space(connection, "upkeep/table_vectors_between", stored), bounds)
        held: dict[int, bytes] = dict(rows)
        if not vectors:
            continue
        matrix = from_stored(b"".join(vectors.values())).reshape(len(vectors), -1)
        for record_id, expected in zip(vectors, to_int8_many(matrix), strict=True):
            if record_id in held and held[record_id] != expected.tobytes():
                yield Finding(
                    "vector_row_altered",
                    f"the sqlite-vec table of space {stored.number} holds another vector",
                    f"record {record_id}",
                )


def _vectors_by_step(connection: Connection, stored: StoredSpace) -> Iterator[tuple[int, dict[int, bytes]]]:
    highest = int(connection.value("state/highest", {"table": "record"}))
    for first in range(1, highest + 1, _STEP):
        bounds = {"space_no": stored.number, "first": first, "last": first + _STEP - 1}
        rows = connection.rows("resident/vectors_between", bounds)
        yield first, {record_id: vector for record_id, _, vector in rows if len(vector) == 2 * stored.space.dimensions}


def _code_findings(connection: Connection) -> Iterator[Finding]:
    changed = {row[0] for row in connection.rows("upkeep/changed_ids")}
    spaces = {stored.number: stored for stored in stored_spaces(connection)}
    for space_no, segment_no, first, last, *packed in connection.rows("upkeep/vector_segments"):
        stored = spaces.get(space_no)
        if stored is None or stored.state == "retired":
            continue
        actual = VectorColumns(space_no, stored.space.dimensions, last - first + 1)
        rows = connection.rows("resident/vectors_between", {"space_no": space_no, "first": first, "last": last})
        good = [row for row in rows if len(row[2]) == 2 * stored.space.dimensions]
        actual.write([(row[0] - first, *row[1:]) for row in good])
        try:
            ids, codes = _packed_vectors(packed, actual)
        except BrokenInvariant as error:
            yield Finding("codes_altered", str(error), f"segment {segment_no}")
            continue
        wrong = (ids != actual.embedding_ids) | (codes != actual.codes).any(axis=0)
        for offset in np.flatnonzero(wrong).tolist():
            if first + offset not in changed:
                yield Finding("codes_altered", "the packed code is not the record's", f"record {first + offset}")


def _packed_vectors(
    packed: Sequence[bytes | None], actual: VectorColumns
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """What is packed for a segment; nothing packed stands for no vectors."""
    ids, codes = packed
    if ids is None or codes is None:
        return np.zeros_like(actual.embedding_ids), np.zeros_like(actual.codes)
    return vectors_from_blobs(ids, codes, len(actual.embedding_ids), actual.dimensions)
