DELETE FROM record_terms
