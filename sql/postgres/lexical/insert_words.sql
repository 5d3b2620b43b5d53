INSERT INTO record_words(record_id, title, body, whole) VALUES (?, ?, ?, ?)
