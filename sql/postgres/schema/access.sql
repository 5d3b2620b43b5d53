-- What this role may do with a namespace: whether it is there, may be used, may be made tables in; whether it holds a
-- library, and whether that may be read. Nulls where there is nothing to ask about.
SELECT n.oid IS NOT NULL, has_schema_privilege(n.oid, 'USAGE'), has_schema_privilege(n.oid, 'CREATE'),
  c.oid IS NOT NULL, has_table_privilege(c.oid, 'SELECT')
FROM (SELECT 1) AS one
LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = :schema
LEFT JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'schema_version' AND c.relkind = 'r'
