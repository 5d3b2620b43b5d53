-- Derived. Which records of a segment hold a term, and how often, by field.
CREATE TABLE posting(
  segment_no INTEGER NOT NULL,
  term_id INTEGER NOT NULL,
  body BLOB NOT NULL,
  title BLOB,
  PRIMARY KEY (segment_no, term_id)
) WITHOUT ROWID
