-- What a role lacks of what a reader or a writer needs: the server passes over what the grantor may not give.
SELECT 'CONNECT ON DATABASE ' || current_database() WHERE NOT has_database_privilege(:role, current_database(), 'CONNECT')
UNION ALL
SELECT 'USAGE ON SCHEMA ' || s.name FROM (VALUES (CAST(:schema AS TEXT)), (CAST(:vector AS TEXT))) AS s(name)
WHERE NOT has_schema_privilege(:role, s.name, 'USAGE')
UNION ALL
SELECT :needed || ' ON TABLE ' || c.oid::regclass::TEXT FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = :schema AND c.relkind IN ('r', 'p') AND EXISTS (
  SELECT 1 FROM string_to_table(:needed, ', ') AS p
  WHERE NOT has_table_privilege(:role, c.oid, p) AND (c.relname <> 'schema_version' OR p = 'SELECT'))
