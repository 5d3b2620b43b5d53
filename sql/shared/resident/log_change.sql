-- generation, record id.
INSERT INTO record_change(generation, record_id) VALUES (?, ?)
ON CONFLICT DO NOTHING
