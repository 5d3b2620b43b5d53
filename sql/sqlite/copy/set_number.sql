-- Later rows of a table get higher numbers than this one.
INSERT OR REPLACE INTO sqlite_sequence(rowid, name, seq)
VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = :table), :table, :number)
