-- What the library's tables and indexes take, in bytes.
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::BIGINT FROM pg_catalog.pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
