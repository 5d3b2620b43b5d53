-- :hashes is a JSON array of hexadecimal text hashes; gives those with a vector in the space.
SELECT e.text_hash FROM unnest(hashes(:hashes)) AS h(value)
JOIN embedding AS e ON e.space_no = :space_no AND e.text_hash = h.value
