-- Derived. Term counts of records that are not packed yet (see lexical/layout.py for the layout).
CREATE TABLE record_terms(
  record_id BIGINT PRIMARY KEY,
  terms BYTEA STORAGE EXTERNAL NOT NULL
)
