-- Canonical. Identity of a knowledge item; its states are in `revision`.
CREATE TABLE item(
  item_no INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id TEXT NOT NULL UNIQUE,
  item_type TEXT NOT NULL
)
