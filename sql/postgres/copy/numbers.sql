-- By table, the highest number that it ever gave; 0 where this role may not look.
SELECT name, number FROM highest
UNION ALL
SELECT t.relname,
  coalesce(CASE WHEN has_sequence_privilege(s.oid, 'USAGE, SELECT') THEN pg_sequence_last_value(s.oid) END, 0)
FROM pg_catalog.pg_class AS s
JOIN pg_catalog.pg_depend AS d ON d.objid = s.oid AND d.deptype = 'i'
JOIN pg_catalog.pg_class AS t ON t.oid = d.refobjid
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
WHERE s.relkind = 'S' AND n.nspname = current_schema()
