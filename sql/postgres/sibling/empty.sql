-- What a new library holds already. Templated with a name out of sibling/tables.
DELETE FROM {table}
