-- Packed ranges that hold a changed record, or were just made.
SELECT s.segment_no, s.first_record, s.last_record FROM segment AS s
WHERE length(s.digest) = 0
   OR EXISTS (SELECT 1 FROM record_change AS c WHERE c.record_id BETWEEN s.first_record AND s.last_record)
