SELECT DISTINCT record_id FROM record_change
