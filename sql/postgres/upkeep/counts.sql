-- items, revisions, records, visible records, visible records of unknown availability, words, unpacked records,
-- generation, versions of the server and of pgvector.
SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM revision), (SELECT count(*) FROM record),
  (SELECT count(*) FROM record WHERE visible_until IS NULL AND current = 1),
  (SELECT count(*) FROM record WHERE visible_until IS NULL AND current = 1 AND visible_from IS NULL),
  (SELECT count(*) FROM term), (SELECT count(*) FROM record_terms), (SELECT generation FROM state),
  split_part(current_setting('server_version'), ' ', 1),
  (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'vector')
