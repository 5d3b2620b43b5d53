-- Rows of a space's sqlite-vec table whose record's text has no vector there any more.
SELECT r.locator, 'the sqlite-vec table of space {space_no} holds a row for it, but its text has no vector'
FROM record_vector_{space_no}_rowids AS v JOIN record AS r ON r.record_id = v.rowid
WHERE NOT EXISTS (SELECT 1 FROM embedding AS e WHERE e.space_no = {space_no} AND e.text_hash = r.text_hash)
