DELETE FROM record_vector_{space_no} WHERE record_id IN (SELECT value FROM json_each(:ids))
