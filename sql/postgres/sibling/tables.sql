-- The tables of a new library, those that others refer to first: names and columns as SQL writes them, and how many
-- bytes the table of that name takes in the library that is copied.
WITH RECURSIVE own(oid, name) AS (
  SELECT c.oid, c.relname FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = :schema AND c.relkind = 'r'
), reached(oid, depth) AS (
  SELECT oid, 0 FROM own
  UNION
  SELECT k.conrelid, r.depth + 1 FROM reached AS r
  JOIN pg_catalog.pg_constraint AS k ON k.confrelid = r.oid AND k.contype = 'f' AND k.conrelid <> k.confrelid
), ranked(oid, depth) AS (
  SELECT oid, max(depth) FROM reached GROUP BY oid
)
SELECT quote_ident(own.name),
  (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_catalog.pg_attribute AS a
   WHERE a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped),
  coalesce(pg_total_relation_size(to_regclass(format('%I.%I', CAST(:library AS TEXT), own.name))), 0)
FROM own JOIN ranked USING (oid) ORDER BY ranked.depth, own.name
