-- By table, the highest number that it ever gave.
SELECT name, seq FROM sqlite_sequence
