-- An embedding space. `state` is building, serving or retired. `int8_error` bounds how far quantising to int8 moved
-- any of its unit vectors: the proof of a KNN over the sqlite-vec table rests on it.
CREATE TABLE space(
  space_no INTEGER PRIMARY KEY AUTOINCREMENT,
  fingerprint TEXT NOT NULL UNIQUE,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  version TEXT NOT NULL,
  normalised INTEGER NOT NULL,
  max_tokens INTEGER,
  prefix TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('building', 'serving', 'retired')),
  int8_error REAL NOT NULL DEFAULT 0
)
