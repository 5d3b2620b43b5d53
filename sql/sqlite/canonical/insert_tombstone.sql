INSERT OR REPLACE INTO tombstone(item_id, purged_at, reason) VALUES (:item_id, :purged_at, :reason)
