-- The nearest vectors of a space by pgvector's own inner product of unit vectors, in float32: embedding id, distance.
-- What is ordered by is no index's expression, so that this is exact whatever indexes there are.
SELECT embedding_id, 1 + (vector OPERATOR({vector}.<#>) CAST(:query AS {vector}.HALFVEC)) AS distance
FROM embedding WHERE space_no = {space_no} ORDER BY 2 LIMIT :k
