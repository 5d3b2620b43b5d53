-- Derived. For a packed range of records: which embedding each has, and its 1-bit code.
CREATE TABLE vector_segment(
  space_no INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  embedding_ids BLOB NOT NULL,
  codes BLOB NOT NULL,
  PRIMARY KEY (space_no, segment_no)
) WITHOUT ROWID
