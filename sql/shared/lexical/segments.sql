-- The packed ranges, in order: segment, first record, last record.
SELECT segment_no, first_record, last_record FROM segment ORDER BY segment_no
