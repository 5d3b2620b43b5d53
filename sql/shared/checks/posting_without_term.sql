SELECT 'term ' || p.term_id, 'postings belong to no word' FROM posting AS p
WHERE NOT EXISTS (SELECT 1 FROM term AS t WHERE t.term_id = p.term_id) GROUP BY p.term_id
