-- All rows of one table. Templated with names out of sibling/tables and of the library's namespace.
INSERT INTO {table}({columns}) SELECT {columns} FROM {library}.{table}
