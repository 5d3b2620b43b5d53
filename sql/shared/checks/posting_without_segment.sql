SELECT 'segment ' || p.segment_no, 'postings belong to no segment' FROM posting AS p
WHERE NOT EXISTS (SELECT 1 FROM segment AS s WHERE s.segment_no = p.segment_no) GROUP BY p.segment_no
