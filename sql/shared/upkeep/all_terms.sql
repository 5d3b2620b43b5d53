SELECT word, term_id, stem FROM term
