-- Templated with a name out of sibling/tables.
ALTER TABLE {table} ENABLE TRIGGER USER
