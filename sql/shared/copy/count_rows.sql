-- How many rows a table holds. Templated with a name of ours (copying/tables.py).
SELECT count(*) FROM {table}
