-- Vectors of a space in the order in which they were made: number, text hash, vector.
SELECT embedding_id, text_hash, vector FROM embedding
WHERE space_no = :space_no AND embedding_id > :after ORDER BY embedding_id LIMIT :limit
