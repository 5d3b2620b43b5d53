-- What tells one library from another: number, time of recording, content hash.
SELECT revision_no, recorded_at, content_hash FROM revision ORDER BY revision_no LIMIT :limit
