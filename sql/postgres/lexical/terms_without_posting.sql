-- Words that no packed record holds; CROSS JOIN keeps each look-up one step in the posting table.
SELECT t.term_id FROM term AS t
WHERE NOT EXISTS (SELECT 1 FROM segment AS s CROSS JOIN posting AS p
                  WHERE p.segment_no = s.segment_no AND p.term_id = t.term_id)
