-- The nearest records of a space by pgvector's own inner product of unit vectors, in float32. What is ordered by is no
-- index's expression, so that this is exact whatever indexes there are.
SELECT r.record_id, 1 + (e.vector OPERATOR({vector}.<#>) CAST(:query AS {vector}.HALFVEC)) AS distance
FROM record AS r JOIN embedding AS e ON e.space_no = {space_no} AND e.text_hash = r.text_hash
ORDER BY 2 LIMIT :k
