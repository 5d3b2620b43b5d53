"""Ways in which the rows of papers may be broken, and what a check says of each."""

from __future__ import annotations

from typing import NamedTuple


class PaperBreak(NamedTuple):
    """What is done to the file, and what check() then says."""

    statements: tuple[str, ...]
    codes: set[str]


OLDER = "(SELECT item_no FROM artifact WHERE kind = 'paper_chunk_set' AND current = 0)"
NEWER = "(SELECT item_no FROM artifact WHERE kind = 'paper_chunk_set' AND current = 1)"
SUMMARY = "(SELECT item_no FROM artifact WHERE kind = 'paper_summary' AND current = 1)"
RECORD = f"(SELECT min(r.record_id) FROM record AS r JOIN revision AS v USING (revision_no) WHERE v.item_no = {OLDER})"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # the name of no bytes at all
STRANGER = "00000000-0000-5000-8000-000000000000"

MENDED: dict[str, PaperBreak] = {
    "a use of a revision that is not there": PaperBreak(
        ("INSERT INTO blob_use SELECT 9999, min(sha256) FROM blob",), {"blob_use_without_revision"}
    ),
    "a use is gone": PaperBreak(
        ("DELETE FROM blob_use WHERE sha256 = (SELECT min(sha256) FROM blob)",), {"blob_use_altered", "blob_unused"}
    ),
    "the list of papers is empty": PaperBreak(("DELETE FROM paper_revision",), {"paper_without_row"}),
    "a listed paper that is none": PaperBreak(
        ("INSERT INTO paper_revision SELECT revision_no, 'x', NULL, NULL FROM revision WHERE item_no = " + OLDER,),
        {"paper_row_without_revision"},
    ),
    "another title": PaperBreak(("UPDATE paper_revision SET title = 'Another'",), {"paper_altered"}),
    "another arXiv id": PaperBreak(("UPDATE paper_revision SET arxiv_paper = '1'",), {"paper_altered"}),
    "an artifact of nobody": PaperBreak((f"DELETE FROM artifact WHERE item_no = {OLDER}",), {"artifact_without_row"}),
    "an artifact of another item": PaperBreak(
        (f"UPDATE artifact SET source_no = 9999 WHERE item_no = {OLDER}",), {"artifact_without_source"}
    ),
    "none is current": PaperBreak(
        (f"UPDATE artifact SET current = 0 WHERE item_no = {NEWER}",),
        {"artifact_none_current", "record_current_altered", "record_altered"},
    ),
    "a record is current": PaperBreak(
        (f"UPDATE record SET current = 1 WHERE record_id = {RECORD}",),
        {"record_current_altered", "record_altered", "columns_altered"},
    ),
    "a record of no artifact is not current": PaperBreak(
        ("UPDATE record SET current = 0 WHERE item_type = 'note'",),
        {"record_current_altered", "record_altered", "columns_altered"},
    ),
    "another number of records": PaperBreak(
        (f"UPDATE artifact SET members = 99 WHERE item_no = {OLDER}",),
        {"artifact_records_miscounted", "artifact_altered"},
    ),
    "another configuration": PaperBreak(
        (f"UPDATE artifact SET config_hash = 'x' WHERE item_no = {OLDER}",), {"artifact_altered"}
    ),
    "another input": PaperBreak(
        (f"UPDATE artifact SET input_hash = 'x' WHERE item_no = {SUMMARY}",), {"artifact_altered"}
    ),
    "made from something unknown": PaperBreak(
        (f"UPDATE artifact_lineage SET ancestor_id = '{STRANGER}' WHERE item_no = {SUMMARY}",),
        {"lineage_unresolved", "artifact_altered"},
    ),
    "made from something that is no text": PaperBreak(
        (f"UPDATE artifact_lineage SET ancestor_id = zeroblob(3) WHERE item_no = {SUMMARY}",),
        {"lineage_unresolved", "artifact_altered"},
    ),
    "made from the second of nothing": PaperBreak(
        (f"UPDATE artifact_lineage SET position = 1 WHERE item_no = {SUMMARY}",), {"lineage_out_of_order"}
    ),
    "a use of bytes that never were": PaperBreak(
        ("UPDATE blob_use SET sha256 = 'x' WHERE sha256 = (SELECT min(sha256) FROM blob)",),
        {"blob_missing", "blob_unused", "blob_use_altered"},
    ),
    "a note that is said to be an artifact": PaperBreak(
        (f"UPDATE artifact SET item_no = (SELECT item_no FROM item WHERE item_type = 'note') WHERE item_no = {OLDER}",),
        {"artifact_without_row", "artifact_without_source", "artifact_records_miscounted", "record_current_altered"},
    ),
    "no arXiv id under its number": PaperBreak(("UPDATE paper_revision SET arxiv_id = NULL",), {"paper_altered"}),
    "lineage of nobody": PaperBreak(
        (f"INSERT INTO artifact_lineage VALUES (9999, 0, (SELECT item_id FROM item WHERE item_no = {NEWER}))",),
        {"lineage_without_artifact"},
    ),
}
"""What a rebuild makes good."""

LOST: dict[str, PaperBreak] = {
    "bytes are gone": PaperBreak(("DELETE FROM blob WHERE sha256 = (SELECT min(sha256) FROM blob)",), {"blob_missing"}),
}
"""What a rebuild refuses to build upon."""

OTHERS: dict[str, PaperBreak] = {
    "bytes of nobody": PaperBreak((f"INSERT INTO blob VALUES ('{EMPTY}', 0, x'')",), {"blob_unused"}),
    "other bytes": PaperBreak(
        ("UPDATE blob SET data = zeroblob(size) WHERE sha256 = (SELECT min(sha256) FROM blob)",), {"blob_damaged"}
    ),
    "bytes cut short": PaperBreak(
        ("UPDATE blob SET data = substr(data, 2) WHERE sha256 = (SELECT min(sha256) FROM blob)",), {"blob_damaged"}
    ),
    "bytes that are text": PaperBreak(("UPDATE blob SET data = 'text'",), {"blob_damaged"}),
}
"""What another put, or compact(), makes good."""

HEARD = set().union(*(case.codes for cases in (MENDED, LOST, OTHERS) for case in cases.values()))
