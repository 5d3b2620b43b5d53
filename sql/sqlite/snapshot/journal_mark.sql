-- The newest row of the journal.
SELECT ifnull(max(entry_no), 0) FROM journal
