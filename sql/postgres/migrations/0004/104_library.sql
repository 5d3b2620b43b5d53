-- Settings that belong to the file: language, analyser version, ranking, fusion. Values are JSON.
CREATE TABLE library(
  name TEXT COLLATE "C" PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
)
