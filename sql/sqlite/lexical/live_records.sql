-- The records of a range that are still there, comma-separated.
SELECT group_concat(record_id) FROM record WHERE record_id BETWEEN :first AND :last
