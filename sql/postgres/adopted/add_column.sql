-- A column of provenance. Without a default no row is rewritten.
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column} TEXT
