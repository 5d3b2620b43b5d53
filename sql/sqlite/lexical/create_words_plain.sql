-- The FTS5 table of a library in another language: porter would stem it as English.
CREATE VIRTUAL TABLE record_words USING fts5(
  title, body,
  content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co P* S* M*'"
)
