-- The HNSW indexes of this library: number of the space, whether it is whole (a build may have been killed), its bytes,
-- and its parameters as "m=16,ef_construction=64".
SELECT CAST(substring(c.relname FROM '[0-9]+$') AS BIGINT), i.indisvalid AND i.indisready, pg_relation_size(c.oid),
  coalesce(array_to_string(c.reloptions, ','), '')
FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
WHERE i.indrelid = CAST('embedding' AS regclass) AND c.relname ~ '^embedding_hnsw_[0-9]+$'
ORDER BY 1
