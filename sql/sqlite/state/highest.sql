-- The highest id ever given out in a table that never reuses ids.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = :table), 0)
