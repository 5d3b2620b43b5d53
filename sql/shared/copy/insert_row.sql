-- A row as it stands in the other library. Templated with names of ours (copying/tables.py); every value is bound.
INSERT INTO {table}({columns}) VALUES ({values})
