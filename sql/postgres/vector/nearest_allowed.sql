-- The nearest of the allowed records, as vector/nearest.
SELECT r.record_id, 1 + (e.vector OPERATOR({vector}.<#>) CAST(:query AS {vector}.HALFVEC)) AS distance
FROM unnest(ids(:ids)) AS i(value) JOIN record AS r ON r.record_id = i.value
JOIN embedding AS e ON e.space_no = {space_no} AND e.text_hash = r.text_hash
ORDER BY 2 LIMIT :k
