SELECT v.space_no, s.segment_no, s.first_record, s.last_record, v.embedding_ids, v.codes
FROM vector_segment AS v JOIN segment AS s USING (segment_no)
