-- record id, packed counts.
INSERT INTO record_terms(record_id, terms) VALUES (?, ?)
