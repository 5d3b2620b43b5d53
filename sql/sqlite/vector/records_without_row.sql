-- Records whose text has a vector in the space but which the sqlite-vec table lacks.
SELECT r.record_id
FROM record AS r JOIN embedding AS e ON e.space_no = {space_no} AND e.text_hash = r.text_hash
WHERE r.record_id NOT IN (SELECT rowid FROM record_vector_{space_no}_rowids)
ORDER BY r.record_id
