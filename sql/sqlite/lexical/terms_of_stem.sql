SELECT term_id FROM term WHERE stem = :stem ORDER BY term_id
