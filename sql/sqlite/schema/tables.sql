-- How many tables the file holds.
SELECT count(*) FROM sqlite_schema WHERE type = 'table'
