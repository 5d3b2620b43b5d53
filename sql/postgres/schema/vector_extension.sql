-- The namespace in which pgvector is installed, its version, and the number of its type halfvec (none where it is older).
SELECT n.nspname, e.extversion, t.oid::BIGINT FROM pg_catalog.pg_extension AS e
JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
LEFT JOIN pg_catalog.pg_type AS t ON t.typnamespace = n.oid AND t.typname = 'halfvec'
WHERE e.extname = 'vector'
