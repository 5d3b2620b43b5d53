-- The same edits, newest first, at most :limit: kind, subject, first affected instant, when recorded, detail.
SELECT kind, subject, affected_from, recorded_at, detail FROM journal
WHERE affected_from <= recorded_at AND kind <> 'purge' AND (CAST(:since AS BIGINT) IS NULL OR recorded_at >= :since)
ORDER BY entry_no DESC LIMIT :limit
