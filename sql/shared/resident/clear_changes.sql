DELETE FROM record_change
