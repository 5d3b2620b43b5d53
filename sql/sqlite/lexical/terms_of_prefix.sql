SELECT term_id FROM term WHERE word >= :first AND word < :last
