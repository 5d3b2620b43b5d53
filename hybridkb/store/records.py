"""Writes and removes records together with every index that follows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from hybridkb.database import Connection, hashes_parameter, ids_parameter
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.lexical.index import RecordWords, add_words, erase_dead_postings, remove_words
from hybridkb.lexical.vocabulary import TermWriter
from hybridkb.records import Record, join_text
from hybridkb.resident.packed import erase_packed
from hybridkb.text import Analyser
from hybridkb.vector.index import attach_records, detach_records, erase_unused_vectors
from hybridkb.vector.spaces import find_space, stored_spaces


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """A record with its id, its revision, and the interval in which it is visible.

    Times are microseconds since 1970 UTC; None is unknown, or no end. ``content_hash`` is that of
    the item's revision. What is not ``current`` is seen by no search, unless it asks for its artifact.
    """

    record_id: int
    revision_no: int
    content_hash: bytes
    record: Record
    as_of: int
    available_at: int | None
    visible_from: int | None
    visible_until: int | None
    current: bool = True


def add_records(connection: Connection, analyser: Analyser, terms: TermWriter, placed: Sequence[PlacedRecord]) -> None:
    """Insert records, facets, words and sqlite-vec rows."""
    if not placed:
        return
    words = [record_words(one, analyser) for one in placed]
    connection.many(
        "records/insert",
        (record_row(one, its_words, analyser) for one, its_words in zip(placed, words, strict=True)),
    )
    connection.many("records/insert_text", ((one.record_id, one.record.title, one.record.body) for one in placed))
    connection.many("records/insert_facet", (facet for one in placed for facet in record_facets(one, analyser)))
    add_words(connection, terms, words)
    for space in stored_spaces(connection):
        if space.state != "retired":
            attach_records(connection, space, [one.record_id for one in placed])


def remove_records(connection: Connection, record_ids: Sequence[int], generation: int) -> None:
    """Take records out of every index and log the change for resident columns."""
    if not record_ids:
        return
    remove_words(connection, record_ids)
    detach_records(connection, stored_spaces(connection), record_ids)
    ids = ids_parameter(record_ids)
    connection.rows("records/delete_facets", ids)
    connection.rows("records/delete_texts", ids)
    connection.rows("records/delete", ids)
    connection.many("resident/log_change", ((generation, record_id) for record_id in record_ids))


def erase_traces(connection: Connection) -> None:
    """Erase whatever removed records left: postings, packed columns, words and vectors that no record needs.

    Which postings were those of an item is not known once a correction, a withdrawal or another put has removed
    its records, so those of all removed records go. That reads every posting.
    """
    gone = [row[0] for row in connection.rows("resident/changed_columns", {"after": -1}) if row[5] is None]
    erase_packed(connection, gone)
    erase_dead_postings(connection)
    erase_unused_vectors(connection)
    connection.rows("state/next_packing")


def records_of_revisions(connection: Connection, revision_nos: Iterable[int]) -> list[int]:
    """Ids of the records made from these revisions."""
    return [row[0] for row in connection.rows("records/of_revisions", ids_parameter(revision_nos))]


def texts_shown(connection: Connection, hashes: Sequence[bytes]) -> set[bytes]:
    """Which of the texts a record shows."""
    return {row[0] for row in connection.rows("records/texts_shown", hashes_parameter(hashes))}


def texts_without_vector(
    connection: Connection, space: EmbeddingSpace, item_ids: Iterable[str]
) -> dict[bytes, tuple[str, str]]:
    """Texts of the items' records that have no vector in a space, with the locator of a record that shows each."""
    stored = find_space(connection, space)
    number = None if stored is None else stored.number
    bindings = {"space_no": number, "ids": json.dumps(sorted(set(item_ids)))}
    rows = connection.rows("records/texts_without_vector", bindings)
    return {text_hash: (locator, join_text(title, body)) for text_hash, locator, title, body in rows}


def log_texts_embedded(connection: Connection, hashes: Sequence[bytes], generation: int) -> list[int]:
    """Note for resident columns which records show texts that have a vector now; returns their ids."""
    record_ids = [row[0] for row in connection.rows("vector/records_of_texts", hashes_parameter(hashes))]
    connection.many("resident/log_change", ((generation, record_id) for record_id in record_ids))
    return record_ids


def identifier_key(text: str, analyser: Analyser) -> str:
    """The form in which identifiers are compared: analysed words joined by spaces."""
    return " ".join(analyser.words(text))


def title_key(key: str) -> int:
    """A signed 64-bit number for a title after analysis; 0 for a title without words."""
    if not key:
        return 0
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "little", signed=True) or 1


def record_words(one: PlacedRecord, analyser: Analyser) -> RecordWords:
    """Analyse one record's fields."""
    return RecordWords(one.record_id, analyser.words(one.record.title), analyser.words(one.record.body))


def record_facets(one: PlacedRecord, analyser: Analyser) -> list[tuple[str, str, int]]:
    """The record's rows in ``record_facet``, in order."""
    record, record_id = one.record, one.record_id
    facets = {("tag", tag) for tag in record.tags}
    facets |= {("ticker", ticker.casefold()) for ticker in record.tickers}
    facets |= {("period", period.casefold()) for period in record.periods}
    facets |= {("collection", collection) for collection in record.collections}
    facets |= {("identifier", key) for text in record.identifiers if (key := identifier_key(text, analyser))}
    return [(facet, value, record_id) for facet, value in sorted(facets)]


def record_row(one: PlacedRecord, words: RecordWords, analyser: Analyser) -> tuple[object, ...]:
    """The record's row in ``record``, in the order of ``records/insert``."""
    record = one.record
    locator = str(record.locator)
    return (
        one.record_id,
        one.revision_no,
        locator,
        record.locator.member_id,
        record.item_type,
        record.artifact_kind,
        record.source_kind,
        record.confidence,
        record.source_class,
        record.kind,
        record.doc_date,
        record.verdict,
        record.link,
        record.path,
        record.tree_id,
        one.as_of,
        one.available_at,
        one.visible_from,
        one.visible_until,
        title_key(" ".join(map(analyser.stem, words.title))),
        record.text_hash,
        _digest(one, locator),
        len(words.title),
        len(words.body),
        record.citations,
        record.projection_version,
        int(one.current),
    )


def _digest(one: PlacedRecord, locator: str) -> int:
    """Name what a hit on this record would show and how it is ranked, whatever its id and its end of visibility.

    The content hash stands for everything the item says; the rest is what the projection made of it.
    """
    record = one.record
    shown: tuple[object, ...] = (
        locator, one.content_hash, one.as_of, one.available_at, record.text_hash, len(record.title),
        sorted(record.identifiers), record.projection_version,
    )  # fmt: skip
    if record.basis:
        shown = (*shown, record.basis)
    return int.from_bytes(blake2b(repr(shown).encode(), digest_size=8).digest(), "little", signed=True)
