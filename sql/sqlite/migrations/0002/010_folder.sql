-- Derived. A folder of documents that a collection is read from. `root` is its real path, `device` and `inode` tell
-- whether the path leads to the same folder still; `settings` (JSON) are those of the last refresh.
CREATE TABLE folder(
  folder_no INTEGER PRIMARY KEY AUTOINCREMENT,
  collection TEXT NOT NULL UNIQUE,
  root BLOB NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  settings TEXT NOT NULL,
  changed_at INTEGER NOT NULL
)
