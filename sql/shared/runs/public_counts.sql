-- For the public export: how much there is, and of what time.
SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM revision), count(*),
  count(*) FILTER (WHERE visible_until IS NULL AND current = 1),
  count(*) FILTER (WHERE visible_until IS NULL AND current = 1 AND visible_from IS NULL),
  min(visible_from), max(visible_from)
FROM record
