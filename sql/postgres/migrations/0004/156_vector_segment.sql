-- Derived. For a packed range of records: which embedding each has, and its 1-bit code.
CREATE TABLE vector_segment(
  space_no BIGINT NOT NULL,
  segment_no BIGINT NOT NULL,
  embedding_ids BYTEA STORAGE EXTERNAL NOT NULL,
  codes BYTEA STORAGE EXTERNAL NOT NULL,
  PRIMARY KEY (space_no, segment_no)
)
