INSERT INTO tombstone(item_id, purged_at, reason) VALUES (:item_id, :purged_at, :reason)
ON CONFLICT (item_id, purged_at) DO UPDATE SET reason = excluded.reason
