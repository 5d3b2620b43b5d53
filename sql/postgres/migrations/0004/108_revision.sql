-- Canonical. One state of an item, true from `available_at` on. Times are microseconds since 1970 UTC.
-- `payload` is the canonical JSON, zlib-compressed; `content_hash` its SHA-256 without volatile fields; `source` is
-- the payload's source as JSON, so that a hit need not unpack the whole item.
CREATE TABLE revision(
  revision_no BIGINT PRIMARY KEY,
  item_no BIGINT NOT NULL REFERENCES item(item_no),
  available_at BIGINT,
  as_of BIGINT NOT NULL,
  recorded_at BIGINT NOT NULL,
  content_hash BYTEA NOT NULL,
  payload BYTEA STORAGE EXTERNAL NOT NULL,
  source JSON NOT NULL
)
