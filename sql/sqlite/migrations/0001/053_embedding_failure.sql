-- Texts that the model answered with something unusable, and why. They stay pending.
CREATE TABLE embedding_failure(
  space_no INTEGER NOT NULL REFERENCES space(space_no),
  text_hash BLOB NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (space_no, text_hash)
) WITHOUT ROWID
