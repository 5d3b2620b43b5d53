-- What stands under a name: whether there is such a namespace, whose it is, whether this role may act as that one,
-- whether it holds a library, and whether this role may read the settings in it.
SELECT n.oid IS NOT NULL, pg_get_userbyid(n.nspowner), pg_has_role(n.nspowner, 'USAGE'), l.oid IS NOT NULL,
  coalesce(has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(l.oid, 'SELECT'), false)
FROM (SELECT 1) AS one
LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = :schema
LEFT JOIN pg_catalog.pg_class AS l ON l.relnamespace = n.oid AND l.relname = 'library' AND l.relkind = 'r'
  AND 2 = (
    SELECT count(*) FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = l.oid AND a.attname IN ('name', 'value') AND NOT a.attisdropped
  )
  AND 3 = (
    SELECT count(*) FROM pg_catalog.pg_class AS o
    WHERE o.relnamespace = n.oid AND o.relkind = 'r' AND o.relname IN ('schema_version', 'revision', 'record')
  )
