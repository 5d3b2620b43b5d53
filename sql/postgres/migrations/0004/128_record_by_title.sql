CREATE INDEX record_by_title ON record(title_key)
