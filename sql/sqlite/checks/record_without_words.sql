SELECT r.locator, 'FTS5 lacks the record''s words' FROM record AS r
WHERE NOT EXISTS (SELECT 1 FROM record_words_docsize AS d WHERE d.id = r.record_id)
