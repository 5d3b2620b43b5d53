SELECT r.record_id, r.locator, t.title, t.body FROM record AS r JOIN record_text AS t USING (record_id)
WHERE r.record_id BETWEEN :first AND :last ORDER BY r.record_id
