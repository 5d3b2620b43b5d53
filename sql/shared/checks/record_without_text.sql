SELECT r.locator, 'the record has no text' FROM record AS r
WHERE NOT EXISTS (SELECT 1 FROM record_text AS t WHERE t.record_id = r.record_id)
