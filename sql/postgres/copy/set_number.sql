-- Later rows of a table get higher numbers than this one: by `highest`, or by the table's own sequence.
WITH noted AS (UPDATE highest SET number = :number WHERE name = :table RETURNING number)
SELECT setval(pg_get_serial_sequence(:table, a.attname), :number)
FROM pg_catalog.pg_attribute AS a
WHERE a.attrelid = to_regclass(:table) AND a.attidentity <> ''
