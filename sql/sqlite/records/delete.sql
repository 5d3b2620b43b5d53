DELETE FROM record WHERE record_id IN (SELECT value FROM json_each(:ids))
