-- Vectors by the text they stand for: the cache and the truth of vectors. float16, unit length.
CREATE TABLE embedding(
  embedding_id INTEGER PRIMARY KEY AUTOINCREMENT,
  space_no INTEGER NOT NULL REFERENCES space(space_no),
  text_hash BLOB NOT NULL,
  vector BLOB NOT NULL
)
