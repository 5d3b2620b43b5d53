DELETE FROM record_text WHERE record_id IN (SELECT value FROM json_each(:ids))
