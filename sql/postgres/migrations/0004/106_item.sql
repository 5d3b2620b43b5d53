-- Canonical. Identity of a knowledge item; its states are in `revision`.
CREATE TABLE item(
  item_no BIGINT PRIMARY KEY,
  item_id TEXT COLLATE "C" NOT NULL UNIQUE,
  item_type TEXT COLLATE "C" NOT NULL
)
