-- Tells our files from other SQLite databases.
PRAGMA application_id
