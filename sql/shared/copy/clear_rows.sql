-- Throw away what an unfinished copy holds of a table. Templated with a name of ours (copying/tables.py).
DELETE FROM {table}
