-- The first rows of a table by its key. Templated with names of ours (copying/tables.py).
SELECT {columns} FROM {table} ORDER BY {key} LIMIT :limit
