-- Which items have a record under one of the :paths (JSON). Reads the whole table.
SELECT DISTINCT r.path, i.item_id FROM record AS r
JOIN revision AS v ON v.revision_no = r.revision_no JOIN item AS i ON i.item_no = v.item_no
WHERE r.path = ANY (texts(:paths)) ORDER BY r.path, i.item_id
