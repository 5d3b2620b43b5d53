-- Merge the FTS5 segments; deleted words leave the file.
INSERT INTO record_words(record_words) VALUES ('optimize')
