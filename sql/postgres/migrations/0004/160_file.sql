-- Derived. What is known of a file below a folder, so that an unchanged one is not read again. `path` is relative,
-- its exact bytes; `state` is 'indexed', 'unreadable' (`reason` says why) or 'gone'. `size`, `modified_ns`, `changed_ns`
-- and `device` are those of the bytes that `content_hash` (SHA-256) names, read at `read_ns`; NULL asks for a new
-- reading. `item_hash` is the content hash of the item's newest revision, `reader` the way it was read.
CREATE TABLE file(
  folder_no BIGINT NOT NULL REFERENCES folder(folder_no),
  path BYTEA NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('indexed', 'unreadable', 'gone')),
  size BIGINT,
  modified_ns BIGINT,
  changed_ns BIGINT,
  device BIGINT,
  read_ns BIGINT,
  content_hash BYTEA,
  item_id TEXT COLLATE "C" NOT NULL,
  item_hash BYTEA,
  passages BIGINT NOT NULL DEFAULT 0,
  reader TEXT COLLATE "C" NOT NULL DEFAULT '',
  reason TEXT COLLATE "C",
  notes TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  PRIMARY KEY (folder_no, path)
)
