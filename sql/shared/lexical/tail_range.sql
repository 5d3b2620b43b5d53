-- Term counts of unpacked records in a range, in order.
SELECT record_id, terms FROM record_terms WHERE record_id BETWEEN :first AND :last ORDER BY record_id
