-- Derived. The vocabulary: words as written, and the stem that groups them.
CREATE TABLE term(
  term_id BIGINT PRIMARY KEY,
  word TEXT COLLATE "C" NOT NULL UNIQUE,
  stem TEXT COLLATE "C" NOT NULL
)
