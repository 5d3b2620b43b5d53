-- How many distinct texts of records have no vector in the space.
SELECT count(DISTINCT r.text_hash) FROM record AS r
WHERE NOT EXISTS (SELECT 1 FROM embedding AS e WHERE e.space_no = :space_no AND e.text_hash = r.text_hash)
