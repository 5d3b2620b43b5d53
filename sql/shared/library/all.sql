-- Every setting of the file.
SELECT name, value FROM library ORDER BY name
