DELETE FROM record_text WHERE record_id = ANY (ids(:ids))
