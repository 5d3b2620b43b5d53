-- Whether a table holds anything. Templated with a name of ours (copying/tables.py).
SELECT EXISTS (SELECT 1 FROM {table})
