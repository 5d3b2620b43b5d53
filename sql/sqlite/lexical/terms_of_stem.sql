SELECT term_id, word FROM term WHERE stem = :stem ORDER BY term_id
