-- How many records are not packed, and the first and last of them.
SELECT count(*), coalesce(min(record_id), 0), coalesce(max(record_id), 0) FROM record_terms
