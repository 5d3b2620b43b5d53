-- :hashes is a JSON array of hexadecimal text hashes; gives those that a record shows.
SELECT unhex(h.value) FROM json_each(:hashes) AS h
WHERE EXISTS (SELECT 1 FROM record AS r WHERE r.text_hash = unhex(h.value))
