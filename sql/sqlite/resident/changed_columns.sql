-- Columns of records changed after generation :after; nulls where the record is gone.
SELECT DISTINCT c.record_id, r.visible_from, r.visible_until, r.title_words, r.body_words, r.digest
FROM record_change AS c LEFT JOIN record AS r ON r.record_id = c.record_id
WHERE c.generation > :after
