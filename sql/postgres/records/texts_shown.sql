-- :hashes is a JSON array of hexadecimal text hashes; gives those that a record shows.
SELECT h.value FROM unnest(hashes(:hashes)) AS h(value)
WHERE EXISTS (SELECT 1 FROM record AS r WHERE r.text_hash = h.value)
