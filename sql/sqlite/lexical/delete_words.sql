DELETE FROM record_words WHERE rowid IN (SELECT value FROM json_each(:ids))
