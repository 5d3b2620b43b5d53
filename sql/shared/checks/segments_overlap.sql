SELECT 'segment ' || a.segment_no, 'it covers records of segment ' || b.segment_no FROM segment AS a
JOIN segment AS b ON a.segment_no < b.segment_no
WHERE a.first_record <= b.last_record AND b.first_record <= a.last_record
