-- space, text hash, reason.
INSERT INTO embedding_failure(space_no, text_hash, reason) VALUES (?, ?, ?)
ON CONFLICT(space_no, text_hash) DO UPDATE SET reason = excluded.reason
