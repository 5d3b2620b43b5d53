SELECT 'record ' || t.record_id, 'the text belongs to no record' FROM record_text AS t
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.record_id = t.record_id)
