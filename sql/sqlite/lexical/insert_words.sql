-- One record's words: record id, title, body.
INSERT INTO record_words(rowid, title, body) VALUES (?, ?, ?)
