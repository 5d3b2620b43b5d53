-- The first and the last record whose terms are not packed, found without reading those between; 0 and 0 for none.
SELECT coalesce((SELECT min(record_id) FROM record_terms), 0), coalesce((SELECT max(record_id) FROM record_terms), 0)
