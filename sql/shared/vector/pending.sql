-- Texts of records, those of earlier revisions too, without a vector in the space: text hash, one record that shows it.
SELECT r.text_hash, min(r.record_id)
FROM record AS r
WHERE NOT EXISTS (SELECT 1 FROM embedding AS e WHERE e.space_no = :space_no AND e.text_hash = r.text_hash)
GROUP BY r.text_hash ORDER BY 2
