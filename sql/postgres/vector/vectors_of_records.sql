-- :ids is a JSON array of record ids; gives record id, float16 vector of those that have one.
SELECT r.record_id, e.vector
FROM unnest(ids(:ids)) AS i(value)
JOIN record AS r ON r.record_id = i.value
JOIN embedding AS e ON e.space_no = :space_no AND e.text_hash = r.text_hash
