SELECT 'record ' || v.rowid, 'the sqlite-vec table of space {space_no} holds a vector of no record'
FROM record_vector_{space_no}_rowids AS v
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.record_id = v.rowid)
