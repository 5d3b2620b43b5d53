CREATE INDEX record_by_text ON record(text_hash)
