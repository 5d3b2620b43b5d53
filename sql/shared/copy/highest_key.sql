-- The highest number in a table. Templated with names of ours (copying/tables.py).
SELECT coalesce(max({key}), 0) FROM {table}
