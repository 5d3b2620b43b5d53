-- Records after one, with the hash of their text.
SELECT record_id, text_hash FROM record WHERE record_id > :after ORDER BY record_id LIMIT :limit
