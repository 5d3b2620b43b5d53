-- Columns of records newer than :after, in order.
SELECT record_id, visible_from, visible_until, title_words, body_words, digest
FROM record WHERE record_id > :after ORDER BY record_id
