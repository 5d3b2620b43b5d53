-- The FTS5 table of an English library. It is fed with the analyser's words joined by spaces, so every
-- character but a space belongs to a word; porter makes it friendly to plain SQL queries.
CREATE VIRTUAL TABLE record_words USING fts5(
  title, body,
  content = '', contentless_delete = 1,
  tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* Co P* S* M*'"
)
