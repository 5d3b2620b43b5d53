-- Term counts of unpacked records newer than :after, in order.
SELECT record_id, terms FROM record_terms WHERE record_id > :after ORDER BY record_id
