SELECT coalesce(max(term_id), 0) FROM term
