SELECT 'record ' || t.record_id, 'the record''s words are packed and waiting to be' FROM record_terms AS t
WHERE EXISTS (SELECT 1 FROM segment AS s WHERE t.record_id BETWEEN s.first_record AND s.last_record)
