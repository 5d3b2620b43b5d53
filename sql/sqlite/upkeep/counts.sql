-- items, revisions, records, visible records, visible records of unknown availability, words, unpacked records,
-- generation, versions of SQLite and sqlite-vec.
SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM revision), (SELECT count(*) FROM record),
  (SELECT count(*) FROM record WHERE visible_until IS NULL AND current = 1),
  (SELECT count(*) FROM record WHERE visible_until IS NULL AND current = 1 AND visible_from IS NULL),
  (SELECT count(*) FROM term), (SELECT count(*) FROM record_terms), (SELECT generation FROM state),
  sqlite_version(), vec_version()
