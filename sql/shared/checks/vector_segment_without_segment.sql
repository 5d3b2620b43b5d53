SELECT 'segment ' || v.segment_no, 'packed vectors belong to no segment' FROM vector_segment AS v
WHERE NOT EXISTS (SELECT 1 FROM segment AS s WHERE s.segment_no = v.segment_no)
