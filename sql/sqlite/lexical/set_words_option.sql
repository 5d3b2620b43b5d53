-- Sets an option of the FTS5 table; it is kept in the file. name, value.
INSERT INTO record_words(record_words, rank) VALUES (?, ?)
