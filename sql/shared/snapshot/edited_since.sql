-- Whether the time up to :cutoff was edited after the row :mark of the journal.
SELECT EXISTS (SELECT 1 FROM journal WHERE entry_no > :mark AND affected_from <= :cutoff)
