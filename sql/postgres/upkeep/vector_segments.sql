-- The packed vectors of every space and segment, nulls where none are packed.
SELECT p.space_no, s.segment_no, s.first_record, s.last_record, v.embedding_ids, v.codes
FROM space AS p CROSS JOIN segment AS s
LEFT JOIN vector_segment AS v ON v.space_no = p.space_no AND v.segment_no = s.segment_no
