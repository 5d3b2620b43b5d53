-- Canonical. One state of an item, true from `available_at` on. Times are microseconds since 1970 UTC.
-- `payload` is the canonical JSON, zlib-compressed; `content_hash` its SHA-256 without volatile fields; `source` is
-- the payload's source as JSON, so that a hit need not unpack the whole item.
CREATE TABLE revision(
  revision_no INTEGER PRIMARY KEY AUTOINCREMENT,
  item_no INTEGER NOT NULL REFERENCES item(item_no),
  available_at INTEGER,
  as_of INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  content_hash BLOB NOT NULL,
  payload BLOB NOT NULL,
  source TEXT NOT NULL
)
