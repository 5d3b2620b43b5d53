-- Copy the write-ahead log into the file and empty it: 1 when a reader prevented it, frames, frames copied.
PRAGMA wal_checkpoint(TRUNCATE)
