SELECT term_id, word FROM term WHERE word >= :first AND word < :last
