-- The highest number that each table ever gave: numbers are never given twice. SQLite keeps the same in sqlite_sequence.
CREATE TABLE highest(
  name TEXT COLLATE "C" PRIMARY KEY,
  number BIGINT NOT NULL
)
