-- Every posting of one segment.
SELECT term_id, body, title FROM posting WHERE segment_no = :segment_no ORDER BY term_id
