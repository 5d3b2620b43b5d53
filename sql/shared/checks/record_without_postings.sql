SELECT r.locator, 'the record''s words are neither packed nor waiting to be' FROM record AS r
WHERE NOT EXISTS (SELECT 1 FROM record_terms AS t WHERE t.record_id = r.record_id)
  AND NOT EXISTS (SELECT 1 FROM segment AS s WHERE r.record_id BETWEEN s.first_record AND s.last_record)
