-- Derived. Which records of a segment hold a term, and how often, by field.
CREATE TABLE posting(
  segment_no BIGINT NOT NULL,
  term_id BIGINT NOT NULL,
  body BYTEA STORAGE EXTERNAL NOT NULL,
  title BYTEA STORAGE EXTERNAL,
  PRIMARY KEY (segment_no, term_id)
)
