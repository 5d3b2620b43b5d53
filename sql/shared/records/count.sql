SELECT count(*), count(*) FILTER (WHERE visible_until IS NULL AND current = 1) FROM record
