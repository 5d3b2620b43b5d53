-- :hashes is a JSON array of hexadecimal text hashes; gives those with a vector in the space.
SELECT e.text_hash FROM json_each(:hashes) AS h
CROSS JOIN embedding AS e ON e.space_no = :space_no AND e.text_hash = unhex(h.value)
