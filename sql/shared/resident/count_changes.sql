SELECT count(*) FROM record_change
