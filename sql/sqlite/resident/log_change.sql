-- generation, record id.
INSERT OR IGNORE INTO record_change(generation, record_id) VALUES (?, ?)
