-- segment, term id.
DELETE FROM posting WHERE segment_no = ? AND term_id = ?
