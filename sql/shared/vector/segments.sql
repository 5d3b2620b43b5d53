-- The packed vectors of a space: first and last record, embedding ids, codes.
SELECT s.first_record, s.last_record, v.embedding_ids, v.codes
FROM vector_segment AS v JOIN segment AS s ON s.segment_no = v.segment_no
WHERE v.space_no = :space_no ORDER BY s.segment_no
