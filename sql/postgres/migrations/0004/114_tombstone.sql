-- Canonical. An erased item: when and why, never what.
CREATE TABLE tombstone(
  item_id TEXT COLLATE "C" NOT NULL,
  purged_at BIGINT NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (item_id, purged_at)
)
