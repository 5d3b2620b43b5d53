-- How many items were erased from :since on.
SELECT count(*) FROM tombstone WHERE :since IS NULL OR purged_at >= :since
