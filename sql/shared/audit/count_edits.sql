-- Edits of a time before the edit itself, recorded from :since on; purges have a list of their own: kind, how many.
SELECT kind, count(*) FROM journal
WHERE affected_from <= recorded_at AND kind <> 'purge' AND (CAST(:since AS BIGINT) IS NULL OR recorded_at >= :since)
GROUP BY kind ORDER BY kind
