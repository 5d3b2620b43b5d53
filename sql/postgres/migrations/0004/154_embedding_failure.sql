-- Texts that the model answered with something unusable, and why. They stay pending.
CREATE TABLE embedding_failure(
  space_no BIGINT NOT NULL REFERENCES space(space_no),
  text_hash BYTEA NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space_no, text_hash)
)
