-- body, title, segment, term id.
UPDATE posting SET body = ?, title = ? WHERE segment_no = ? AND term_id = ?
