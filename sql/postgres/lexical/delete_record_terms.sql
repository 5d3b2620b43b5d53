DELETE FROM record_terms WHERE record_id = ANY (ids(:ids))
