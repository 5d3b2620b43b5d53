-- Every record that may be a hit, comma-separated. The conditions of a search are put together from the folder filters.
SELECT group_concat(r.record_id) FROM record AS r WHERE {conditions}
