-- Whether this role may drop the index of the words and make it again.
SELECT CAST(pg_has_role(c.relowner, 'USAGE') AS INTEGER) FROM pg_catalog.pg_class AS c
WHERE c.oid = to_regclass('record_words')
