-- Every record that may be a hit, comma-separated. The conditions of a search are put together from the folder filters.
SELECT string_agg(CAST(r.record_id AS TEXT), ',') FROM record AS r WHERE {conditions}
