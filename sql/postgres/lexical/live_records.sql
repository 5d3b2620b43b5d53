-- The records of a range that are still there, comma-separated.
SELECT string_agg(CAST(record_id AS TEXT), ',') FROM record WHERE record_id BETWEEN :first AND :last
