-- `highest` is copied, and need not be kept in step meanwhile. Templated with a name out of sibling/tables.
ALTER TABLE {table} DISABLE TRIGGER USER
