-- Settings that belong to the file: language, analyser version, ranking, fusion. Values are JSON.
CREATE TABLE library(
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID
