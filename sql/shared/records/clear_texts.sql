DELETE FROM record_text
