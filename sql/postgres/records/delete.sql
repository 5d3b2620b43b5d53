DELETE FROM record WHERE record_id = ANY (ids(:ids))
