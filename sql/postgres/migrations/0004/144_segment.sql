-- Derived. A packed range of records and their columns (see resident/packed.py for the layouts).
CREATE TABLE segment(
  segment_no BIGINT PRIMARY KEY,
  first_record BIGINT NOT NULL,
  last_record BIGINT NOT NULL,
  visible_from BYTEA NOT NULL,
  visible_until BYTEA NOT NULL,
  title_words BYTEA NOT NULL,
  body_words BYTEA NOT NULL,
  digest BYTEA NOT NULL
)
