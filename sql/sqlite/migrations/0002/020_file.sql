-- Derived. What is known of a file below a folder, so that an unchanged one is not read again. `path` is relative,
-- its exact bytes; `state` is 'indexed', 'unreadable' (`reason` says why) or 'gone'. `size`, `modified_ns`, `changed_ns`
-- and `device` are those of the bytes that `content_hash` (SHA-256) names, read at `read_ns`; NULL asks for a new
-- reading. `item_hash` is the content hash of the item's newest revision, `reader` the way it was read.
CREATE TABLE file(
  folder_no INTEGER NOT NULL REFERENCES folder(folder_no),
  path BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('indexed', 'unreadable', 'gone')),
  size INTEGER,
  modified_ns INTEGER,
  changed_ns INTEGER,
  device INTEGER,
  read_ns INTEGER,
  content_hash BLOB,
  item_id TEXT NOT NULL,
  item_hash BLOB,
  passages INTEGER NOT NULL DEFAULT 0,
  reader TEXT NOT NULL DEFAULT '',
  reason TEXT,
  notes TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (folder_no, path)
) WITHOUT ROWID
