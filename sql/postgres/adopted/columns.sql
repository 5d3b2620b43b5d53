-- The columns of a table, and the name of the type of each.
SELECT a.attname, t.typname
FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
WHERE n.nspname = :namespace AND c.relname = :table AND a.attnum > 0 AND NOT a.attisdropped
