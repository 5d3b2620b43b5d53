-- The rows that follow a key. Templated with names of ours (copying/tables.py); the key itself is bound.
SELECT {columns} FROM {table} WHERE ({key}) > ({after}) ORDER BY {key} LIMIT :limit
