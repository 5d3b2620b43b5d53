-- When an item was purged last, and why.
SELECT purged_at, reason FROM tombstone WHERE item_id = :item_id ORDER BY purged_at DESC LIMIT 1
