-- Records that the word index lacks.
SELECT r.locator, 'the word index lacks the record''s words' FROM record AS r
WHERE NOT EXISTS (SELECT 1 FROM record_words AS d WHERE d.record_id = r.record_id)
