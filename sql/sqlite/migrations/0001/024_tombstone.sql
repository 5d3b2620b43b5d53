-- Canonical. An erased item: when and why, never what.
CREATE TABLE tombstone(
  item_id TEXT NOT NULL,
  purged_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (item_id, purged_at)
) WITHOUT ROWID
