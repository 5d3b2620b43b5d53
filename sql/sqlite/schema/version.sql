-- The file's schema version; 0 for an empty file.
PRAGMA user_version
