CREATE INDEX record_by_type ON record(item_type)
