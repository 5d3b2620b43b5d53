INSERT INTO vector_segment(space_no, segment_no, embedding_ids, codes)
VALUES (:space_no, :segment_no, :embedding_ids, :codes)
ON CONFLICT(space_no, segment_no) DO UPDATE SET embedding_ids = excluded.embedding_ids, codes = excluded.codes
