-- The newest row of the journal.
SELECT coalesce(max(entry_no), 0) FROM journal
