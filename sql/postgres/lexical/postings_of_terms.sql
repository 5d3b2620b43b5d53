-- :terms is a JSON array of term ids; gives term id, first record of the segment, body, title.
-- CROSS JOIN keeps the order: each (segment, term) is one look-up in the posting table.
SELECT p.term_id, s.first_record, p.body, p.title
FROM segment AS s CROSS JOIN unnest(ids(:terms)) AS t(value) CROSS JOIN posting AS p
WHERE p.segment_no = s.segment_no AND p.term_id = t.value
ORDER BY s.segment_no
