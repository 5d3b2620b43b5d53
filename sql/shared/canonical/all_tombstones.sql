SELECT item_id, purged_at, reason FROM tombstone ORDER BY item_id, purged_at
