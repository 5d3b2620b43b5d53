-- Columns of the records of a range, in order. What is not current is visible at no instant: it ends before all.
SELECT record_id, visible_from, CASE WHEN current = 1 THEN visible_until ELSE -9223372036854775808 END, title_words,
  body_words, digest
FROM record WHERE record_id BETWEEN :first AND :last ORDER BY record_id
