SELECT 'record ' || t.record_id, 'unpacked term counts belong to no record' FROM record_terms AS t
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.record_id = t.record_id)
