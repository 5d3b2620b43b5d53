-- Rows of the word index that belong to no record.
SELECT 'record ' || d.record_id, 'the word index holds words of no record' FROM record_words AS d
WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.record_id = d.record_id)
