CREATE INDEX record_by_revision ON record(revision_no)
