-- Derived. A packed range of records and their columns (see resident/packed.py for the layouts).
CREATE TABLE segment(
  segment_no INTEGER PRIMARY KEY,
  first_record INTEGER NOT NULL,
  last_record INTEGER NOT NULL,
  visible_from BLOB NOT NULL,
  visible_until BLOB NOT NULL,
  title_words BLOB NOT NULL,
  body_words BLOB NOT NULL,
  digest BLOB NOT NULL
)
