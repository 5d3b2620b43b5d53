SELECT count(*), count(*) FILTER (WHERE visible_until IS NULL) FROM record
