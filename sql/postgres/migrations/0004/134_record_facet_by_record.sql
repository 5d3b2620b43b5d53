CREATE INDEX record_facet_by_record ON record_facet(record_id)
