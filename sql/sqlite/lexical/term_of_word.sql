SELECT term_id FROM term WHERE word = :word
