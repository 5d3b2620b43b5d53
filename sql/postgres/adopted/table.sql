-- A table by its namespace and name: whether it may be altered by this role, and whether it is one.
SELECT pg_has_role(c.relowner, 'USAGE'), c.relkind IN ('r', 'p')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = :namespace AND c.relname = :table AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
