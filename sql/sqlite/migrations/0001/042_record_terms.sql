-- Derived. Term counts of records that are not packed yet (see lexical/layout.py for the layout).
CREATE TABLE record_terms(
  record_id INTEGER PRIMARY KEY,
  terms BLOB NOT NULL
)
