INSERT INTO revision(revision_no, item_no, available_at, as_of, recorded_at, content_hash, payload, source)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
