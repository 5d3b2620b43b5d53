-- segment, term id, body, title.
INSERT INTO posting(segment_no, term_id, body, title) VALUES (?, ?, ?, ?)
