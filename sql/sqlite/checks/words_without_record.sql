SELECT 'record ' || d.id, 'FTS5 holds words of no record' FROM record_words_docsize AS d
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.record_id = d.id)
