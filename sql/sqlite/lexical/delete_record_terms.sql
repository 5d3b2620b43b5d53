DELETE FROM record_terms WHERE record_id IN (SELECT value FROM json_each(:ids))
