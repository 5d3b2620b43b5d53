-- Every edit of the past, oldest first: kind, first affected instant, when, subject, detail.
SELECT kind, affected_from, recorded_at, subject, detail FROM journal ORDER BY entry_no
