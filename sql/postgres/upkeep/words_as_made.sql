-- The record, when its row of the word index holds exactly what these words make.
SELECT record_id FROM record_words
WHERE record_id = ? AND title = CAST(? AS TSVECTOR) AND body = CAST(? AS TSVECTOR) AND whole = CAST(? AS BOOLEAN)
