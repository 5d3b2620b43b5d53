SELECT term_id, word FROM term WHERE word = :word
