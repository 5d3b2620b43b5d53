-- Derived. The analysed words of a record, stemmed where the language is, at their places: for phrases, and for any SQL
-- user's `@@`. A tsvector forgets places beyond the 16,383rd word and the 255th of a word, and holds no more than 1 MiB:
-- `whole` is false where that happened, and such a record is read again before it counts as holding a phrase.
CREATE TABLE record_words(
  record_id BIGINT PRIMARY KEY,
  title TSVECTOR NOT NULL,
  body TSVECTOR NOT NULL,
  whole BOOLEAN NOT NULL
)
