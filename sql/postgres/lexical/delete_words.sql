DELETE FROM record_words WHERE record_id = ANY (ids(:ids))
