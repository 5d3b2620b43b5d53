-- Columns of the records of a range, in order.
SELECT record_id, visible_from, visible_until, title_words, body_words, digest
FROM record WHERE record_id BETWEEN :first AND :last ORDER BY record_id
