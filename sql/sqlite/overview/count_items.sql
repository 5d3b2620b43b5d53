-- How many items have a record that passes the conditions.
SELECT count(DISTINCT r.revision_no) FROM record AS r WHERE {conditions}
