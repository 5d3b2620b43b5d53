-- record id, title, body.
INSERT INTO record_text(record_id, title, body) VALUES (?, ?, ?)
