-- How many items were erased from :since on.
SELECT count(*) FROM tombstone WHERE CAST(:since AS BIGINT) IS NULL OR purged_at >= :since
