-- Derived. The vocabulary: words as written, and the stem that groups them.
CREATE TABLE term(
  term_id INTEGER PRIMARY KEY,
  word TEXT NOT NULL UNIQUE,
  stem TEXT NOT NULL
)
