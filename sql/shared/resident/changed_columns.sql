-- Columns of records changed after generation :after; nulls where the record is gone. What is not current is visible at
-- no instant: it ends before all of them.
SELECT DISTINCT c.record_id, r.visible_from, CASE WHEN r.current = 1 THEN r.visible_until ELSE -9223372036854775808 END,
  r.title_words, r.body_words, r.digest
FROM record_change AS c LEFT JOIN record AS r ON r.record_id = c.record_id
WHERE c.generation > :after
