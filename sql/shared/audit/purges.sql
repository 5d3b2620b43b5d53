-- What was erased from :since on, newest first, at most :limit: item id, when, why.
SELECT item_id, purged_at, reason FROM tombstone
WHERE CAST(:since AS BIGINT) IS NULL OR purged_at >= :since
ORDER BY purged_at DESC, item_id LIMIT :limit
