"""Which tables a copy carries over, row by row, and in which order: what a row refers to comes before it.

Rows are the same on both engines, so what is derived (records, vocabulary, postings, packed columns and codes) is
carried over as well: answers, fingerprints and the order of ties are then the same by construction, and item types that
this program does not know are no obstacle. What an engine keeps in its own way is made anew from these rows: the word
index, SQLite's int8 tables, and the numbers that later rows get. ``library`` and ``state`` come last, when all is
verified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is carried over.

    Attributes:
        name: of the table.
        key: the columns of its primary key.
        others: its other columns.
        rows: how many are read and written at once; few where one may be large.
        numbered: whether its numbers are never given twice, so that the highest one has to be known.
    """

    name: str
    key: tuple[str, ...]
    others: tuple[str, ...]
    rows: int = 2000
    numbered: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns as they are read and written, the key first."""
        return self.key + self.others


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TABLES: Final = (
    Table("item", ("item_no",), _names("item_id item_type"), numbered=True),
    Table(
        "revision",
        ("revision_no",),
        _names("item_no available_at as_of recorded_at content_hash payload source"),
        rows=500,
        numbered=True,
    ),
    Table("withdrawal", _names("item_no at"), ("recorded_at",)),
    Table("tombstone", _names("item_id purged_at"), ("reason",)),
    Table("journal", ("entry_no",), _names("recorded_at kind subject affected_from detail"), numbered=True),
    Table("blob", ("sha256",), _names("size data"), rows=4),
    Table("paper_revision", ("revision_no",), _names("title arxiv_id arxiv_paper")),
    Table("blob_use", _names("revision_no sha256"), ()),
    Table("artifact", ("item_no",), _names("source_no kind config_hash input_hash members current")),
    Table("artifact_lineage", _names("item_no position"), ("ancestor_id",)),
    Table(
        "run",
        ("run_no",),
        _names(
            "kind target started_at finished_at gold_digest gold_name k mode queries negatives protocol "
            "settings_digest settings space versions fingerprint items records pending embedded tolerance promote "
            "reasons obstacles note promoted_at outcomes"
        ),
        rows=20,
        numbered=True,
    ),
    Table("run_figure", _names("run_no mode measure"), _names("value low high")),
    Table(
        "folder",
        ("folder_no",),
        _names("collection root device inode settings changed_at"),
        numbered=True,
    ),
    Table(
        "file",
        _names("folder_no path"),
        _names(
            "state size modified_ns changed_ns device read_ns content_hash item_id item_hash passages reader reason "
            "notes"
        ),
    ),
    Table(
        "space",
        ("space_no",),
        _names("fingerprint model dimensions version normalised max_tokens prefix state"),
        numbered=True,
    ),
    Table("embedding", ("embedding_id",), _names("space_no text_hash vector"), numbered=True),
    Table("embedding_failure", _names("space_no text_hash"), ("reason",)),
    Table(
        "record",
        ("record_id",),
        _names(
            "revision_no locator member_id item_type artifact_kind source_kind confidence source_class kind doc_date "
            "verdict link path tree_id as_of available_at visible_from visible_until title_key text_hash digest "
            "title_words body_words citations projection_version current"
        ),
        numbered=True,
    ),
    Table("record_facet", _names("facet value record_id"), (), rows=5000),
    Table("record_change", _names("generation record_id"), (), rows=5000),
    Table("term", ("term_id",), _names("word stem"), rows=5000),
    Table("record_terms", ("record_id",), ("terms",)),
    Table(
        "segment",
        ("segment_no",),
        _names("first_record last_record visible_from visible_until title_words body_words digest"),
        rows=4,
    ),
    Table("posting", _names("segment_no term_id"), _names("body title")),
    Table("vector_segment", _names("space_no segment_no"), _names("embedding_ids codes"), rows=4),
    Table("record_text", ("record_id",), _names("title body"), rows=1000),
)
"""Every table that is carried over, in order. ``record_text`` is the last: what is made anew of a record follows it."""

MADE_ANEW: Final = frozenset({"record_words"})
"""Tables that an engine keeps in its own way, made from the rows above."""

AT_THE_END: Final = frozenset({"library", "state", "highest", "schema_version"})
"""Tables that say that a library is there, and where it stands."""

LEFT_OUT: Final = frozenset({("space", "int8_error")})
"""Columns that belong to one engine alone."""
