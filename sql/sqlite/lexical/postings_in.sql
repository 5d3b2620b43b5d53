-- Postings of one segment for the :terms (a JSON array of term ids).
SELECT p.term_id, p.body, p.title FROM json_each(:terms) AS t CROSS JOIN posting AS p
WHERE p.segment_no = :segment_no AND p.term_id = t.value
