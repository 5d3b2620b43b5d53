-- The namespace in which pgvector is installed, and its version.
SELECT n.nspname, e.extversion FROM pg_catalog.pg_extension AS e
JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
WHERE e.extname = 'vector'
