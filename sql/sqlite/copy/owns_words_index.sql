-- FTS5 is its own index.
SELECT 0
